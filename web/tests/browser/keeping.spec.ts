import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

/** U-8: a conversation is pinned, archived, deleted, and each of it undone. */
test('conversations are pinned, archived and restored @both', async ({ chat, page, isMobile }) => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  const show = async () => {
    if (isMobile) await page.getByRole('button', { name: 'Show conversations' }).click();
  };
  const title = `Cupboard ${Date.now()}`;
  await chat.say(title, words('Tidy.'));
  await expect(chat.answers).toHaveText(/Tidy/);
  await show();
  const row = list.getByRole('listitem').filter({ hasText: title });
  const act = async (name: string) => {
    await row.hover();
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await act('Pin to the top');
  await expect(list.getByRole('heading', { name: 'Pinned' })).toBeVisible();
  await expectAccessible(page, 'a pinned conversation');
  await act('Unpin');
  await expect(list.getByRole('heading', { name: 'Pinned' })).toHaveCount(0);

  await act('Archive');
  await expect(row).toHaveCount(0);
  await list.getByRole('button', { name: 'Archived' }).click();
  await expect(row).toHaveCount(1);
  await expectAccessible(page, 'the archive');
  await act('Take out of the archive');
  await list.getByRole('button', { name: 'Back to the conversations' }).click();
  await expect(row).toHaveCount(1);

  await act('Delete');
  await expect(row).toHaveCount(0);
  await list.getByRole('button', { name: 'Deleted' }).click();
  await expect(row).toHaveCount(1);
  await expectAccessible(page, 'what was deleted');
  await list.getByRole('button', { name: `Restore “${title}”` }).click();
  await expect(row).toHaveCount(0);
  await list.getByRole('button', { name: 'Back to the conversations' }).click();
  await act('Delete');
  await list.getByRole('button', { name: 'Deleted' }).click();
  await list.getByRole('button', { name: `Delete “${title}” for good` }).click();
  await expect(list.getByText('Delete this conversation for good?')).toBeVisible();
  await expect(list.getByRole('button', { name: 'Keep' })).toBeFocused();
  await list.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(row).toHaveCount(0);
});

/** U-8: the button that undoes a deletion brings the conversation back, open as it was. */
test('a deletion is undone at once', async ({ chat, page }) => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  const title = `Undone ${Date.now()}`;
  await chat.say(title, words('Still here.'));
  await expect(chat.answers).toHaveText(/Still here/);
  const row = list.getByRole('listitem').filter({ hasText: title });
  await row.hover();
  await row.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'What can I do for you?' })).toBeVisible();
  await expectAccessible(page, 'the way back');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(chat.answers).toHaveText(/Still here/);
  await expect(row).toHaveCount(1);
});
