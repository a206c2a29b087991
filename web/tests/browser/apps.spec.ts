import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Chat, expect, expectAccessible, test as base } from './fixtures';
import { Model, type ModelRequest, type Step, words } from './model';
import { ParlorServer } from './server';

const SOURCE = join(import.meta.dirname, 'mcp_apps');
const TARGET = process.env['CARGO_TARGET_DIR'] ?? join(import.meta.dirname, '../../../target');
/** Each worker has an installation of its own. */
const place = (worker: number) => join(TARGET, `tmp/mcp_apps_${worker}`);
const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error'];

function mcp(name: string, program: string[], more = ''): string {
  const section = `tenants.home.projects.recipes.mcp.${name}`;
  return `[${section}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(program)}\napps = true\n${more}\n`;
}

const allow = (name: string, tool: string) => `[tenants.home.projects.recipes.mcp.${name}.tools.${tool}]\naction = "allow"\n`;

/** Servers of the official package, as they are published, and a hostile one. */
function config(installed: string): string {
  const sample = (name: string) => [join(installed, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'), '--stdio'];
  return [
    mcp('time', sample('basic-vanillajs')),
    mcp('budget', sample('budget-allocator')),
    allow('budget', 'get-budget-data'),
    mcp('hostile', [join(SOURCE, 'hostile.mjs')], 'trust_annotations = true'),
  ].join('\n');
}

const test = base.extend<{ desk: Chat }, { house: { server: ParlorServer; model: Model } }>({
  house: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use, { parallelIndex }) => {
      const installed = place(parallelIndex);
      cpSync(SOURCE, installed, { recursive: true });
      await promisify(execFile)('npm', INSTALL, { cwd: installed });
      const model = await Model.start();
      const server = new ParlorServer(model.url, config(installed));
      await server.start();
      await use({ server, model });
      await server.end();
      model.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  desk: async ({ page, house }, use) => {
    const chat = new Chat(page, house.server, house.model);
    await chat.logIn();
    await use(chat);
  },
});

const using =
  (tool: string, input: object = {}) =>
  ({ results }: ModelRequest): Step[] =>
    results.length === 0 ? [{ tool, input }] : words('There it is.');

/** I-6: an app of the official examples shows a result; what it calls waits for the person; it is there after a reload. */
test('an app shows a result, and what it calls is approved @both', async ({ desk: chat, page }) => {
  await chat.say('What time is it there?', using('time_get-time'));
  await page.getByRole('button', { name: 'Allow once' }).click();
  const app = page.frameLocator('iframe[title="App of time"]');
  const time = app.locator('#server-time');
  await expect(time).toHaveText(/^\d{4}-\d\d-\d\dT/);
  await expectAccessible(page, 'an app');
  const first = await time.textContent();
  await app.getByRole('button', { name: 'Get Server Time' }).click();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect(time).not.toHaveText(first ?? '');
  await expect(page.locator('iframe'), 'there is no second page').toHaveCount(1);
  await app.getByRole('button', { name: 'Open Link' }).click();
  await expect(page.getByRole('group', { name: 'The app wants to open this page:' })).toContainText('https://modelcontextprotocol.io/');
  await page.getByRole('button', { name: 'Do not open' }).click();
  await app.getByRole('button', { name: 'Send Message' }).click();
  await expect(chat.composer).toHaveValue('This is message text.');
  const address = page.url();
  await page.goto(address);
  await expect(page.frameLocator('iframe[title="App of time"]').locator('#server-time')).toHaveText(/^\d{4}-/);
});

/** I-6: an app with scripts, a chart and data of its own. */
test('an app draws what a tool returned @both', async ({ desk: chat, page }) => {
  await chat.say('Show me the budget', using('budget_get-budget-data'));
  const app = page.frameLocator('iframe[title="App of budget"]');
  await expect(app.locator('#status-bar')).toHaveText(/Allocated: \$[1-9]/);
  await expect(app.locator('#budget-selector option')).not.toHaveCount(0);
});

/** I-6: an app reaches nothing of ours, and nothing runs without the person. */
test('a hostile app gets nowhere', async ({ desk: chat, page, context }) => {
  await chat.say('Show me something', using('hostile_show'));
  const log = page.frameLocator('iframe[title="App of hostile"]').locator('#log');
  const rows = log.locator('li');
  for (const row of [
    'origin: null',
    'parent: SecurityError',
    'cookie: SecurityError',
    'storage: SecurityError',
    'top: SecurityError',
    'popup: blocked',
    'fetch /api/me: TypeError',
    'fetch https://evil.example/: TypeError',
    'fetch http://127.0.0.1:1/: TypeError',
    'result: show was called',
    'script link: {"isError":true}',
  ]) {
    await expect(rows.filter({ hasText: row }), row).toHaveCount(1);
  }
  expect(context.pages()).toHaveLength(1);
  expect(page.url()).toContain(chat.server.url);
  await expect(page.getByText('https://evil.example/path')).toBeVisible();
  expect((await page.locator('iframe').boundingBox())?.height).toBeLessThanOrEqual(800);
  await expect(page.getByText('everything')).toBeVisible();
  await expectAccessible(page, 'an app that asks for a lot');
  await page.getByRole('button', { name: 'Don’t allow', exact: true }).click();
  await expect(rows.filter({ hasText: /^erase: .*"isError":true/ })).toHaveCount(1);
});
