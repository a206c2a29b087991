import { Chat, expect, expectAccessible, test } from './fixtures';
import { GuardedServer } from './guarded_server';
import { Model } from './model';
import { ADMIN_PASSWORD, ParlorServer } from './server';

/** I-5: an administrator logs in to a tool server, by way of a page of another site, and out again. */
test('an administrator logs in to a tool server @both', async ({ page }) => {
  const calendar = await GuardedServer.start();
  const model = await Model.start();
  const server = new ParlorServer(
    model.url,
    `[tenants.home.projects.recipes.mcp.calendar]\nurl = "${calendar.url}/mcp"\nallow_private_addresses = true\n`,
  );
  await server.start();
  try {
    await new Chat(page, server, model).logIn(ADMIN_PASSWORD);
    const toAdmin = async () => {
      await page.getByRole('button', { name: 'Administration' }).click();
      await page.getByRole('link', { name: 'Tool servers' }).click();
    };
    await toAdmin();
    const logIn = page.getByRole('button', { name: 'Log in to calendar' });
    await expect(page.getByText('it asks for a login')).toBeVisible();
    await expectAccessible(page, 'a tool server that asks for a login');
    await logIn.click();
    await page.getByRole('link', { name: 'Refuse' }).click();
    await expect(page.getByRole('status')).toHaveText(/The login did not work: the login was refused: access_denied/);
    await expectAccessible(page, 'a login that was refused');
    await page.getByRole('link', { name: 'To the chat' }).click();
    await toAdmin();
    await logIn.click();
    await page.getByRole('link', { name: 'Allow' }).click();
    await expect(page.getByRole('status')).toHaveText('You are logged in. The server is being connected.');
    expect(page.url(), 'the code is not in the history').toBe(`${server.url}/oauth/callback`);
    await page.getByRole('link', { name: 'To the chat' }).click();
    await toAdmin();
    const row = page.getByRole('listitem').filter({ hasText: 'calendar' });
    await expect(row).toContainText('ready · one tool');
    await row.getByRole('button', { name: 'Log out of calendar' }).click();
    await expect(logIn).toBeVisible({ timeout: 15_000 });
  } finally {
    await server.end();
    model.stop();
    calendar.stop();
  }
});
