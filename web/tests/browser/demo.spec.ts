import { Chat, expect, test } from './fixtures';
import { Model } from './model';
import { ParlorServer } from './server';

/** N-2: a fresh installation without any key. Each of the four suggestions shows what it promises. */
test('the suggestions of the empty state work with the demo model', async ({ page }) => {
  test.setTimeout(150_000);
  const server = new ParlorServer(null);
  await server.start();
  try {
    const chat = new Chat(page, server, undefined as unknown as Model);
    await chat.logIn();
    const again = async (suggestion: string) => {
      await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).click();
      await page.getByRole('button', { name: suggestion }).click();
    };
    await page.getByRole('button', { name: 'What recipes do I have?' }).click();
    await expect(page.getByRole('button', { name: /\d+ recipes found/ })).toBeVisible();
    await expect(chat.send).toBeVisible();
    await again('Delete the tomato soup recipe');
    await expect(page.getByRole('heading', { name: 'Parlor wants to delete “Tomato Soup”' })).toBeVisible();
    await expect(page.getByText('Is deleted')).toBeVisible();
    await page.getByRole('button', { name: 'Don’t allow' }).click();
    await expect(chat.main.getByText('Cancelled by the user')).toBeVisible();
    await again('Plan a dinner for four');
    await expect(page.getByRole('button', { name: 'Execute plan' })).toBeVisible();
    await again('Help me choose what to cook');
    await expect(page.locator('[data-card]:focus')).toBeVisible();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await expect(chat.main.getByText(/^Answered: /)).toBeVisible();
    await expect(chat.send).toBeVisible();
  } finally {
    await server.end();
  }
});
