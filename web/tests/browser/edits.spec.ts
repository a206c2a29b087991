import { Chat, expect, expectAccessible, test } from './fixtures';
import { Model } from './model';
import { ParlorServer } from './server';

/**
 * P-6, P-7: edited arguments are what the preview shows, what runs, what the card shows
 * afterwards, and what the agent refers to.
 */
test('an edited approval is shown as it ran @both', async ({ page }) => {
  const server = new ParlorServer(null);
  await server.start();
  try {
    const chat = new Chat(page, server, undefined as unknown as Model);
    await chat.logIn();
    await chat.composer.fill('rename the cookies');
    await chat.composer.press('Enter');
    const name = page.getByRole('textbox', { name: /called/ });
    await name.fill('Ginger Biscuits');
    await name.press('Enter');
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Parlor wants to change “Chocolate Chip Cookies”' }) });
    const preview = card.getByRole('group', { name: /What changes/ });
    await expect(preview.getByText('Ginger Biscuits')).toBeVisible();
    await card.getByRole('button', { name: 'Keep waiting' }).click();
    await card.getByRole('button', { name: 'Arguments' }).click();
    await card.getByRole('button', { name: 'Change', exact: true }).click();
    await expect(card.getByRole('textbox', { name: 'Recipe', exact: true })).toHaveAttribute('aria-required', 'true');
    const title = card.getByRole('textbox', { name: /^Title/ });
    // A field that is half below the edge is shown whole when it is written in.
    await title.evaluate((field) => {
      const view = field.closest('[data-view]') as HTMLElement;
      const below = field.getBoundingClientRect().bottom - view.getBoundingClientRect().bottom;
      view.scrollTop += below - (field as HTMLElement).offsetHeight / 2;
    });
    await expect(title).not.toBeInViewport({ ratio: 0.9 });
    await title.fill('Ginger Snaps');
    await expect(preview.getByText('Ginger Snaps')).toBeVisible();
    await expect(preview.getByText('Ginger Biscuits')).toBeHidden();
    await expect(title).toBeInViewport({ ratio: 1 });
    // The focused field stays in place when the preview above it changes.
    await title.fill('');
    await expect(preview.getByText('Ginger Snaps')).toBeHidden();
    await expect(title).toBeInViewport({ ratio: 1 });
    await title.fill('Ginger Snaps');
    await expect(preview.getByText('Ginger Snaps')).toBeVisible();
    await expect(title).toBeInViewport({ ratio: 1 });
    await expectAccessible(page, 'an approval that is edited');
    await card.getByRole('button', { name: 'Allow once' }).click();
    await expect(chat.main.getByText('Allowed with changes')).toBeVisible();
    await expect(chat.answers.last()).toHaveText(/is called Ginger Snaps now/);
    const closed = chat.main.locator('[data-card=closed]').last();
    await expect(closed.locator('del')).toHaveText('Ginger Biscuits');
    await expect(closed.locator('ins')).toHaveText('Ginger Snaps');
    await closed.getByRole('button', { name: 'Details' }).click();
    await expect(closed.getByRole('group', { name: /What changes/ })).toContainText('Ginger Snaps');
    await expect(closed.getByRole('group', { name: /What changes/ })).not.toContainText('Ginger Biscuits');
    await expectAccessible(page, 'an approval that was changed');
    const { recipes } = (await (await page.request.get(`${server.url}/api/recipes`)).json()) as { recipes: { title: string }[] };
    expect(recipes.map(({ title }) => title)).toContain('Ginger Snaps');
    expect(recipes.map(({ title }) => title)).not.toContain('Ginger Biscuits');
  } finally {
    await server.end();
  }
});
