import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

/** The list of conversations: rename, delete; on a phone it is a drawer. */
test('conversations can be renamed and deleted @both', async ({ chat, page, isMobile }) => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  const show = async () => {
    if (isMobile) await page.getByRole('button', { name: 'Show conversations' }).click();
  };
  const unique = `Kumquat ${Date.now()}`;
  await chat.say(`${unique} marmalade`, words('Sticky.'));
  await expect(chat.answers).toHaveText(/Sticky/);
  await show();
  const row = list.getByRole('listitem').filter({ hasText: 'marmalade' });
  await expect(row).toHaveCount(1);
  await expectAccessible(page, 'the list');
  await row.hover();
  await row.getByRole('button', { name: /^Actions/ }).click();
  await expectAccessible(page, 'the menu of a row');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await list.getByRole('textbox', { name: 'Title of the conversation' }).fill(`${unique} jam`);
  await page.keyboard.press('Enter');
  const renamed = list.getByRole('listitem').filter({ hasText: 'jam' });
  await expect(renamed).toHaveCount(1);
  await renamed.hover();
  await renamed.getByRole('button', { name: /^Actions/ }).click();
  await expect(page.getByRole('menuitem', { name: 'Export as Markdown' })).toHaveAttribute('href', /\/export\?format=markdown$/);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(renamed).toHaveCount(0);
  if (isMobile) await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'What can I do for you?' })).toBeVisible();
});

test('a conversation that is deleted elsewhere says so', async ({ chat, page, request }) => {
  await chat.say('Soon to be gone', words('Oh.'));
  await expect(chat.answers).toHaveText(/Oh/);
  const cookies = await page.context().cookies();
  const header = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { conversations } = (await (await request.get(`${chat.server.url}/api/conversations?q=Soon`, { headers: { cookie: header } })).json()) as { conversations: { id: string }[] };
  await request.delete(`${chat.server.url}/api/conversations/${conversations[0]?.id}`, { headers: { cookie: header } });
  await expect(page.getByText('This conversation was deleted')).toBeVisible();
});

/** The keyboard is enough for everything: skip link, list, menu, composer. */
test('the keyboard is enough', async ({ chat, page }) => {
  await chat.say('Typed by hand', words('Read by eye.'));
  await expect(chat.answers).toHaveText(/Read by eye/);
  const skip = page.getByRole('link', { name: 'Skip to the message field' });
  await skip.focus();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(chat.composer).toBeFocused();
  const actions = page.getByRole('navigation').getByRole('button', { name: 'Actions for “Typed by hand”' }).first();
  await actions.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Pin to the top' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(actions).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('appearance dark');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(actions).toBeFocused();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});
