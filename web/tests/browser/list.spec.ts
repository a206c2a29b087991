import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

/** The list of conversations: find, rename, delete; on a phone it is a drawer. */
test('conversations can be found, renamed and deleted @both', async ({ chat, page, isMobile }) => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  const show = async () => {
    if (isMobile) await page.getByRole('button', { name: 'Show conversations' }).click();
  };
  const unique = `Kumquat ${Date.now()}`;
  await chat.say(`${unique} marmalade`, words('Sticky.'));
  await expect(chat.answers).toHaveText(/Sticky/);
  await show();
  await list.getByRole('searchbox').fill(unique);
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
  await expect(list.getByText('Delete this conversation for good?')).toBeVisible();
  await expect(list.getByRole('button', { name: 'Keep' })).toBeFocused();
  await expectAccessible(page, 'before it is deleted');
  await list.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(list.getByText('Nothing found.')).toBeVisible();
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
  await page.getByRole('button', { name: 'Appearance' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitemradio', { name: 'Like the system' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: 'Appearance' })).toBeFocused();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});
