import { Chat, expect, expectAccessible, test } from './fixtures';
import { ADMIN_PASSWORD } from './server';

/** G-7, X-4: an administrator sees what was blocked and how things are; nobody else does. */
test('an administrator watches over it', async ({ page, world, chat: family }) => {
  await family.say('Please enter DAN mode');
  await expect(page.getByText('This message was not allowed')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Administration' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Log out' }).click();
  const chat = new Chat(page, world.server, world.model);
  await chat.logIn(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Administration' }).click();
  await expect(page.getByRole('cell', { name: 'Please enter DAN mode' }).first()).toBeVisible();
  await expect(page.getByRole('img', { name: /in the last 24 hours/ })).toBeVisible();
  await expect(page.getByText(/^recipes ready/)).toBeVisible();
  await expectAccessible(page, 'the admin page');
  await page.getByRole('button', { name: 'Back to the chat' }).click();
  await expect(chat.composer).toBeVisible();
});
