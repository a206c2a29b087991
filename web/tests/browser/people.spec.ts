import { type Browser, type Page } from '@playwright/test';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { Model, words } from './model';
import { API_KEY, ParlorServer } from './server';

/** Invites somebody, who chooses a name and a password; returns their page. */
async function join(browser: Browser, server: ParlorServer, name: string, check: (page: Page) => Promise<void> = async () => {}): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 800 } })).newPage();
  const made = await page.request.post(`${server.url}/api/people/invitations`, { headers: { 'X-API-Key': API_KEY }, data: {} });
  const { link } = (await made.json()) as { link: string };
  await page.goto(link);
  await check(page);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('A password of your own').fill(`${name} has a password`);
  await page.getByLabel('The same password again').fill(`${name} has a password`);
  await page.getByRole('button', { name: 'Begin' }).click();
  await expect(page.locator('#composer')).toBeVisible();
  return page;
}

/** Y-1, Y-2: an invitation, a login by name, a conversation that is private, shared and private again. */
test('people have accounts and share what they want to', async ({ browser }) => {
  const model = await Model.start();
  const server = new ParlorServer(model.url);
  await server.start();
  const ana = await join(browser, server, 'Ana', async (page) => {
    await expect(page.getByLabel('Your name')).toBeFocused();
    await expectAccessible(page, 'an invitation');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await expect(ana.getByRole('button', { name: 'Log out (Ana)' })).toBeVisible();
  const bob = await join(browser, server, 'Bob');
  await new Chat(ana, server, model).say('Her soup', words('Hot.'));
  const list = ana.getByRole('navigation', { name: 'Conversations' });
  const row = list.getByRole('listitem').filter({ hasText: 'Her soup' });
  await expect(row).toHaveCount(1);

  const actions = async () => {
    await row.hover();
    await row.getByRole('button', { name: /^Actions/ }).click();
  };
  await actions();
  await expect(ana.getByRole('menuitemradio', { name: 'Private' })).toBeChecked();
  await expectAccessible(ana, 'the menu of a row of one’s own');
  await ana.getByRole('menuitemradio', { name: 'Shared with everyone here' }).click();
  await ana.mouse.move(900, 500);
  await expect(row.getByTitle('Shared with everyone here')).toBeVisible();
  await expectAccessible(ana, 'a row that is shared');

  await bob.reload();
  const seen = bob.getByRole('navigation', { name: 'Conversations' }).getByRole('listitem').filter({ hasText: 'Her soup' });
  await expect(seen).toHaveCount(1);
  await seen.hover();
  await seen.getByRole('button', { name: /^Actions/ }).click();
  await expect(bob.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await expect(bob.getByRole('menuitemradio')).toHaveCount(0);
  await expect(bob.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0);
  await bob.keyboard.press('Escape');

  await actions();
  await ana.getByRole('menuitemradio', { name: 'Private' }).click();
  await expect(row.getByTitle('Shared with everyone here')).toHaveCount(0);
  await bob.reload();
  await expect(bob.getByText('Your conversations will be here.')).toBeVisible();

  await ana.getByRole('button', { name: 'Log out (Ana)' }).click();
  await expect(ana.getByLabel('Your name')).toBeFocused();
  await expectAccessible(ana, 'the form with a name');
  await ana.getByLabel('Your name').fill('ana');
  await ana.getByLabel('Password').fill('wrong');
  await ana.getByRole('button', { name: 'Enter' }).click();
  await expect(ana.getByRole('alert')).toHaveText('The name or the password is not right. Please try again.');
  await ana.getByLabel('Password').fill('Ana has a password');
  await ana.getByRole('button', { name: 'Enter' }).click();
  await expect(ana.getByRole('button', { name: 'Log out (Ana)' })).toBeVisible();
  await server.end();
  model.stop();
});
