import { type Page } from '@playwright/test';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { GuardedServer } from './guarded_server';
import { Model, type Script, words } from './model';
import { ADMIN_PASSWORD, API_KEY, ParlorServer } from './server';

/** The directory for screenshots, if they are wanted: `PARLOR_LAYOUTS=directory`. */
const PICTURES = process.env['PARLOR_LAYOUTS'];

async function picture(page: Page, name: string, settings: { width?: number; dark?: boolean } = {}): Promise<void> {
  if (!PICTURES) return;
  const before = page.viewportSize();
  if (settings.width) await page.setViewportSize({ width: settings.width, height: 844 });
  await page.emulateMedia({ colorScheme: settings.dark ? 'dark' : 'light' });
  // Colours change over some frames.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'));
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
}

/** Somebody with an account accepts an invitation. */
async function join(page: Page, server: ParlorServer, name: string): Promise<void> {
  const made = await page.request.post(`${server.url}/api/people/invitations`, { headers: { 'X-API-Key': API_KEY }, data: {} });
  await page.goto(((await made.json()) as { link: string }).link);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('A password of your own').fill(`${name} has a password`);
  await page.getByLabel('The same password again').fill(`${name} has a password`);
  await page.getByRole('button', { name: 'Begin' }).click();
  await expect(page.locator('#composer')).toBeVisible();
}

const today: Script = ({ results }) => (results.length > 0 ? words(results[0] ?? '') : [{ tool: 'calendar_today', input: {} }]);

/** I-5, Y-1: a call without a login says what to do, and after the login the same message works, for each with their own account. */
test('each person logs in to a tool server in their settings @both', async ({ page, browser }, { project }) => {
  const calendar = await GuardedServer.start();
  const model = await Model.start();
  const server = new ParlorServer(
    model.url,
    `[tenants.home.projects.recipes.mcp.calendar]\nurl = "${calendar.url}/mcp"\nallow_private_addresses = true\nlogin = "person"\n` +
      `[tenants.home.projects.recipes.mcp.calendar.tools."*"]\naction = "allow"\n`,
  );
  await server.start();
  try {
    await join(page, server, 'Ana');
    const chat = new Chat(page, server, model);
    const main = page.getByRole('main');
    await page.goto(`${server.url}/settings`);
    const own = main.getByRole('region', { name: 'Your logins to tool servers' });
    await expect(own).toContainText('You are not logged in');
    await expectAccessible(page, 'a login of one’s own that is missing');
    await own.scrollIntoViewIfNeeded();
    await picture(page, `settings-needed-${project.name}`);
    await own.getByRole('button', { name: 'Log in to calendar' }).click();
    await page.getByRole('link', { name: 'As Ana' }).click();
    await expect(page.getByRole('status')).toHaveText('You are logged in: your messages use this login from now on.');
    expect(page.url(), 'the code is not in the history').toBe(`${server.url}/oauth/callback`);
    await page.getByRole('link', { name: 'To your settings' }).click();
    await expect(own).toContainText('Logged in');
    await expect(own).toBeFocused();
    await expectAccessible(page, 'a login of one’s own');
    await picture(page, `settings-${project.name}`);
    await picture(page, `settings-dark-${project.name}`, { dark: true });
    await picture(page, `settings-320-${project.name}`, { width: 320 });
    await page.goto(`${server.url}/chat`);
    await chat.say('What is on today?', today);
    await expect(main).toContainText('The day of Ana.');

    // Somebody else, for whom the tools are known by Ana's login, and whose call does not run with it.
    const context = await browser.newContext({ locale: 'en-US', viewport: page.viewportSize() ?? { width: 1280, height: 800 } });
    const bobs = await context.newPage();
    await join(bobs, server, 'Bob');
    const bob = new Chat(bobs, server, model);
    await bob.say('And for me?', today);
    const card = bobs.getByRole('main').getByRole('region', { name: 'calendar needs a login' });
    await expect(card.getByRole('button', { name: 'Try again' })).toBeVisible();
    await expectAccessible(bobs, 'a call that needs a login');
    await picture(bobs, `card-${project.name}`);
    await picture(bobs, `card-dark-${project.name}`, { dark: true });
    await picture(bobs, `card-320-${project.name}`, { width: 320 });
    const conversation = bobs.url();
    await card.getByRole('button', { name: 'Open the settings' }).click();
    const his = bobs.getByRole('main').getByRole('region', { name: 'Your logins to tool servers' });
    await expect(his).toBeFocused();
    await his.getByRole('button', { name: 'Log in to calendar' }).click();
    await bobs.getByRole('link', { name: 'As Bob' }).click();
    await bobs.getByRole('link', { name: 'To your settings' }).click();
    await expect(his).toContainText('Logged in');
    await bobs.goto(conversation);
    await card.getByRole('button', { name: 'Try again' }).click();
    await expect(bobs.getByRole('main')).toContainText('The day of Bob.');
    expect(calendar.calls).toEqual(['Ana', 'Bob']);

    // Administrators see who is logged in, and end a login.
    const admins = await (await browser.newContext({ locale: 'en-US', viewport: page.viewportSize() ?? { width: 1280, height: 800 } })).newPage();
    await new Chat(admins, server, model).logIn(ADMIN_PASSWORD);
    await admins.goto(`${server.url}/admin/servers`);
    await admins.getByRole('button', { name: '2 people are logged in' }).click();
    await expectAccessible(admins, 'who is logged in to a tool server');
    await picture(admins, `admin-${project.name}`);
    await picture(admins, `admin-320-${project.name}`, { width: 320 });
    await admins.getByRole('button', { name: 'End the login of Bob to calendar' }).click();
    await admins.getByRole('button', { name: 'End', exact: true }).click();
    await expect(admins.getByText('One person is logged in')).toBeVisible();
    await bobs.goto(`${server.url}/settings`);
    await expect(his).toContainText('You are not logged in');
    await page.goto(`${server.url}/settings`);
    await own.getByRole('button', { name: 'Log out of calendar' }).click();
    await expect(own).toContainText('You are not logged in');
    // Portuguese, and the shared account.
    const shared = await (await browser.newContext({ locale: 'pt-BR', viewport: page.viewportSize() ?? { width: 1280, height: 800 } })).newPage();
    const family = new Chat(shared, server, model);
    await family.logIn();
    await family.say('E hoje?', today);
    await expect(shared.getByRole('main').getByRole('region', { name: 'É preciso entrar em calendar' })).toContainText('conta sua');
    await picture(shared, `card-shared-pt-${project.name}`);
    await shared.goto(`${server.url}/settings#logins`);
    await expect(shared.getByRole('main').getByRole('region', { name: 'Suas entradas em servidores de ferramentas' })).toContainText('conta compartilhada');
    await picture(shared, `settings-shared-pt-${project.name}`, { width: 820 });
  } finally {
    await server.end();
    model.stop();
    calendar.stop();
  }
});
