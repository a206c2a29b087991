import { type Page } from '@playwright/test';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { words } from './model';
import { ADMIN_PASSWORD } from './server';

const TABS = ['people', 'keys', 'prompts', 'decisions', 'blocked', 'servers', 'usage', 'configuration'] as const;

async function fits(page: Page, width: number, what: string): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(width);
}

/** Y-4: every tab has an address that survives a reload, Back and a login; each can be used by everybody, on every screen, in both languages. */
test('the tabs of the administration have addresses', async ({ page, world }) => {
  await page.goto(`${world.server.url}/admin/keys`);
  await page.locator('#password').fill(ADMIN_PASSWORD);
  await page.locator('form button').click();
  await expect(page.getByRole('heading', { name: 'Keys for scripts and other programs' })).toBeVisible();
  const nav = page.getByRole('navigation', { name: 'Parts of the administration' });
  await nav.getByRole('link', { name: 'Decisions' }).click();
  await expect(page).toHaveURL(/\/admin\/decisions$/);
  await expect(nav.getByRole('link', { name: 'Decisions' })).toHaveAttribute('aria-current', 'page');
  await page.goBack();
  await expect(page).toHaveURL(/\/admin\/keys$/);
  await expect(page.getByRole('rowheader', { name: 'PARLOR_API_KEY' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('rowheader', { name: 'PARLOR_API_KEY' })).toBeVisible();
  for (const tab of TABS) {
    await page.goto(`${world.server.url}/admin/${tab}`);
    await expect(nav.locator('[aria-current]')).toHaveAttribute('href', `/admin/${tab}`);
    await expect(page.getByRole('main').getByRole('heading', { level: 2 }).or(page.getByRole('group', { name: 'Time' })).first()).toBeVisible();
    await expectAccessible(page, tab);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 700 });
      await fits(page, width, `${tab} at ${width}`);
    }
    await expectAccessible(page, `${tab} at 320`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  expect((await page.goto(`${world.server.url}/admin/nothing`))?.status()).toBe(404);
});

/** Y-4, U-9: the same in Portuguese. */
test('the administration speaks Portuguese', async ({ browser, world }) => {
  const page = await (await browser.newContext({ locale: 'pt-BR', viewport: { width: 390, height: 844 } })).newPage();
  await page.goto(`${world.server.url}/admin/usage`);
  await page.locator('#password').fill(ADMIN_PASSWORD);
  await page.locator('form button').click();
  await expect(page.getByRole('link', { name: 'Uso' })).toHaveAttribute('aria-current', 'page');
  for (const tab of TABS) {
    await page.goto(`${world.server.url}/admin/${tab}`);
    await expect(page.getByRole('heading', { level: 1, name: 'Administração' })).toBeVisible();
    await expectAccessible(page, `${tab} in Portuguese`);
    await fits(page, 390, tab);
  }
});

/** Y-4, X-4: a key is made, shown once, and revoked after a question; somebody is invited. */
test('a key is made and revoked, and somebody is invited', async ({ page, world }) => {
  const chat = new Chat(page, world.server, world.model);
  await chat.logIn(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Administration' }).click();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByLabel('What it is for').fill('Night script');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = await page.getByLabel('The new key: Night script').inputValue();
  const me = () => page.request.get(`${world.server.url}/api/me`, { headers: { 'X-API-Key': key, Cookie: '' } });
  expect((await me()).status()).toBe(200);
  await expectAccessible(page, 'a new key');
  await page.reload();
  await expect(page.getByRole('rowheader', { name: /Night script/ })).toBeVisible();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke Night script' }).click();
  const question = page.getByRole('group', { name: /Revoke Night script\?/ });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectAccessible(page, 'a question before something is revoked');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Revoke Night script' })).toBeFocused();
  await page.getByRole('button', { name: 'Revoke Night script' }).click();
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByRole('cell', { name: /^revoked/ })).toBeVisible();
  expect((await me()).status()).toBe(401);

  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('button', { name: 'Make a link' }).click();
  await expect(page.getByLabel('Link of the invitation')).toHaveValue(/\/invite\//);
  await expect(page.getByRole('table').last()).toContainText('Shared account');
  await page.getByRole('link', { name: 'Decisions' }).click();
  await expect(page.getByRole('cell', { name: 'revoked a key' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'invited somebody' })).toBeVisible();
});

/** Y-4: what was decided is found and exported; figures have scales and a table; a server starts again. */
test('decisions, figures, servers and the configuration', async ({ page, world }) => {
  const chat = new Chat(page, world.server, world.model);
  await chat.logIn(ADMIN_PASSWORD);
  const input = { type: 'confirm', question: 'Shall the kettle be filled?' };
  await chat.say('Fill the kettle', ({ results }) => (results.length === 0 ? [{ tool: 'ask_user', input }] : words('It is full.')));
  await expect(page.getByRole('heading', { name: input.question })).toBeVisible();
  await page.goto(`${world.server.url}/admin/prompts`);
  await expect(page.getByRole('listitem').filter({ hasText: input.question })).toContainText('for Shared account');
  await page.getByRole('button', { name: `Open: ${input.question}` }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect(chat.answers.last()).toHaveText(/It is full/);

  await page.goto(`${world.server.url}/admin/decisions`);
  const search = page.getByRole('search', { name: 'Search decisions' });
  await search.getByLabel('Words').fill('kettle');
  await search.getByLabel('Outcome').selectOption('Answered');
  await search.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('cell', { name: /Shall the kettle be filled/ })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export as a table (CSV)' }).click();
  expect((await download).suggestedFilename()).toBe('decisions.csv');
  await expectAccessible(page, 'decisions that were found');
  await search.getByLabel('Words').fill('no such thing');
  await search.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByText('There is no such decision.')).toBeVisible();

  await page.goto(`${world.server.url}/admin/usage`);
  await expect(page.getByRole('img', { name: /^Answers, by how they ended: at most/ })).toBeVisible();
  await page.getByRole('button', { name: '30 days' }).click();
  await page.getByRole('button', { name: /^As a table ?: Time to the first words/ }).click();
  await expect(page.getByRole('columnheader', { name: '95 of 100 answers' }).first()).toBeVisible();
  await expectAccessible(page, 'figures with a table');

  await page.goto(`${world.server.url}/admin/servers`);
  await expect(page.getByRole('heading', { name: /^recipes ready/ })).toBeVisible();
  await page.getByRole('button', { name: 'Restart recipes' }).click();
  await page.getByRole('group', { name: /^Restart recipes\?/ }).getByRole('button', { name: 'Restart' }).click();
  await expect(page.getByRole('heading', { name: /recipes ready.*restarted once/ })).toBeVisible();
  await page.getByRole('button', { name: 'Last lines of recipes' }).click();
  await expect(page.getByText('It has written nothing to its standard error.').or(page.getByRole('list', { name: 'Last lines of recipes' }))).toBeVisible();
  await expectAccessible(page, 'a server that was restarted');

  await page.goto(`${world.server.url}/admin/configuration`);
  await page.getByRole('searchbox', { name: 'Find a setting' }).fill('PARLOR_');
  await expect(page.getByRole('row', { name: /PARLOR_ADMIN_PASSWORD \[masked\] PARLOR_ADMIN_PASSWORD/ })).toBeVisible();
  expect(await page.content()).not.toContain(ADMIN_PASSWORD);
  await page.getByRole('searchbox', { name: 'Find a setting' }).fill('server.bind');
  await expect(page.getByRole('row', { name: /server\.bind 127\.0\.0\.1:0 --bind/ })).toBeVisible();
});
