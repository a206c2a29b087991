import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

/** U-8: what was said is found while one types; a result opens at its message, which is marked. */
test('a message is found, opened and marked @both', async ({ chat, page, isMobile }) => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  const unique = `Jabuticaba${Date.now()}`;
  await chat.say(`${unique} long ago`, words(Array.from({ length: 40 }, (_, line) => `Line ${line}.\n\n`).join('')));
  await expect(chat.answers).toHaveText(/Line 39/);
  await chat.say(`${unique} and later`, words('Uma geleia de **maçã** fria.'));
  await expect(chat.answers.last()).toHaveText(/fria/);
  await page.goto(`${chat.server.url}/chat`);
  if (isMobile) await page.getByRole('button', { name: 'Show conversations' }).click();
  const field = list.getByRole('searchbox', { name: 'Search messages and titles' });
  await field.fill(`"${unique} long`);
  const hit = list.getByRole('listitem').filter({ hasText: 'long ago' });
  await expect(hit.first().locator('mark').first()).toHaveText(new RegExp(unique));
  await expectAccessible(page, 'what was found');
  await field.fill('geleia maca');
  await expect(list.locator('mark')).toHaveText(['geleia', 'maçã']);
  await field.fill(`${unique} long`);
  await expect(list.getByRole('heading', { name: 'Messages' })).toBeVisible();
  // What was found before is gone.
  await expect(list.getByText('geleia')).toHaveCount(0);
  // The keyboard goes from the field to the results, and opens one.
  await field.press('ArrowDown');
  const results = list.locator('[data-found] button');
  await expect(results.first()).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(field).toBeFocused();
  await list.locator('[data-found] button').filter({ hasText: 'long ago' }).last().click();
  const shown = page.locator('[data-shown]');
  await expect(shown).toContainText('long ago');
  await expect(shown).toBeInViewport();
  await expect(page).toHaveURL(/\/c\/[\w-]+#m-[\w-]+$/);
  await expectAccessible(page, 'the message that was found');
  // The address alone leads there too.
  await page.reload();
  await expect(page.locator('[data-shown]')).toContainText('long ago');
  // The palette finds messages too.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('geleia mac');
  const option = page.getByRole('option').filter({ hasText: 'geleia' });
  await expect(option.locator('mark')).toHaveText(['geleia', 'maçã']);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-shown]')).toContainText('geleia');
});

/** U-7: what is selected in a message becomes a quote in the message field. */
test('what is selected can be quoted', async ({ chat, page }) => {
  await chat.say('Quote something', words('First words.\n\nSecond words.'));
  await expect(chat.answers).toHaveText(/Second words/);
  await chat.composer.fill('Before');
  await page.evaluate(() => {
    const article = [...document.querySelectorAll('article')].at(-1);
    document.getSelection()?.selectAllChildren(article?.querySelector('p') ?? document.body);
  });
  await page.getByRole('button', { name: 'Quote', exact: true }).click();
  await expect(chat.composer).toHaveValue('Before\n\n> First words.\n\n');
  await expect(chat.composer).toBeFocused();
  await page.getByRole('button', { name: 'Quote this message' }).click();
  await expect(chat.composer).toHaveValue('Before\n\n> First words.\n\n> First words.\n>\n> Second words.\n\n');
});
