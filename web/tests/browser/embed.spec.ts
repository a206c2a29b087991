/** U-12: the example of a site, on another origin, embeds the chat. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

import AxeBuilder from '@axe-core/playwright';
import { expect, type FrameLocator, type Page, test as base } from '@playwright/test';

import { gate, Model, type ModelRequest, type Step, words } from './model';
import { API_KEY, ParlorServer } from './server';

const SITE = join(import.meta.dirname, '../../../examples/widget/server.mjs');

interface House {
  server: ParlorServer;
  model: Model;
  /** A port whose pages may embed the chat, and one whose may not. */
  allowed: number;
  other: number;
}

const test = base.extend<object, { house: House }>({
  house: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const [allowed, other] = [await freePort(), await freePort()];
      const model = await Model.start();
      const server = new ParlorServer(model.url, `[tenants.home.projects.recipes]\nname = "Shop"\n[tenants.home.projects.recipes.embed]\norigins = ["http://127.0.0.1:${allowed}"]\n`);
      await server.start();
      await use({ server, model, allowed, other });
      await server.end();
      model.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

test.describe.configure({ mode: 'serial' });

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Serves the example of a site; ends it afterwards. */
async function withSite(house: House, port: number, visitor: string, then: (url: string) => Promise<void>): Promise<void> {
  const environment = { PATH: process.env['PATH'], PARLOR_URL: house.server.url, PARLOR_KEY: API_KEY, PORT: String(port), VISITOR: visitor };
  const site: ChildProcess = spawn(process.execPath, [SITE], { env: environment });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      site.stdout?.once('data', (said: Buffer) => resolve(said.toString().trim()));
      site.once('exit', (code) => reject(new Error(`the site ended with ${code}`)));
    });
    await then(url);
  } finally {
    site.kill('SIGKILL');
  }
}

const open = (page: Page) => page.getByRole('button', { name: /^Open the chat/ });
const chatIn = (page: Page): FrameLocator => page.frameLocator('iframe[title="Chat"]');

async function say(chat: FrameLocator, text: string): Promise<void> {
  await chat.locator('#composer').fill(text);
  await expect(chat.locator('form:has(#composer) button[type=submit]')).toBeEnabled();
  await chat.locator('#composer').press('Enter');
}

const change = ({ results }: ModelRequest): Step[] => {
  const soup = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
  if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
  return results.length === 1 ? [{ tool: 'update_recipe', input: { recipe_id: soup, servings: 9 } }] : words('It is for nine now.');
};

const panel = ({ results }: ModelRequest): Step[] => {
  const soup = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
  if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
  return results.length === 1 ? [{ tool: 'display_recipe', input: { recipe_id: soup } }] : words('Here it is.');
};

/** Whatever a page of the site or ours complains about. */
function troublesOf(page: Page): string[] {
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted ?Type|Uncaught|postMessage/i.test(message.text())) troubles.push(message.text());
  });
  return troubles;
}

async function expectAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n  ')}`);
  expect(found, what).toEqual([]);
}

test('a page of another site embeds the chat, and finds its conversation again @both', async ({ page, house }) => {
  house.model.on(/Make it for nine/, change);
  const troubles = troublesOf(page);
  await withSite(house, house.allowed, `ana-${test.info().project.name}`, async (url) => {
    await page.goto(url);
    await open(page).click();
    const chat = chatIn(page);
    await say(chat, 'Make it for nine');
    await chat.getByRole('button', { name: /^Allow once$/ }).click();
    await expect(chat.getByText('It is for nine now.').first()).toBeVisible();
    await expectAccessible(page, 'the conversation');
    await page.reload();
    await open(page).click();
    await expect(chat.getByText('It is for nine now.')).toBeVisible();
    expect(await page.context().cookies(), 'there are no cookies').toEqual([]);
    const kept = await page.frames().find((frame) => frame.url().includes('/embed/'))?.evaluate(() => Object.keys(localStorage));
    expect(kept, 'nothing is left in the browser').toEqual([]);
  });
  // Somebody else in the same browser does not.
  await withSite(house, house.allowed, `bob-${test.info().project.name}`, async (url) => {
    await page.goto(url);
    await open(page).click();
    await expect(chatIn(page).locator('#composer')).toBeVisible();
    await expect(chatIn(page).getByText('It is for nine now.')).toHaveCount(0);
  });
  expect(troubles).toEqual([]);
});

test('the recipe lies over the chat, diagrams are drawn, and the site says how it looks @both', async ({ page, house }) => {
  house.model.on(/Show me the soup/, panel);
  house.model.on(/Draw it/, words('```mermaid\ngraph TD\n  A[Chop] --> B[Cook]\n```\n'));
  const troubles = troublesOf(page);
  await withSite(house, house.allowed, `cem-${test.info().project.name}`, async (url) => {
    await page.goto(url);
    await open(page).click();
    const chat = chatIn(page);
    await say(chat, 'Show me the soup');
    await expect(chat.getByRole('dialog').getByRole('checkbox').first()).toBeVisible();
    await expect(chat.getByRole('dialog').getByRole('button', { name: 'Edit' })).toHaveCount(0);
    await expectAccessible(page, 'the recipe');
    await chat.getByRole('button', { name: 'Close', exact: true }).click();
    await say(chat, 'Draw it');
    await expect(chat.locator('img.diagram')).toBeVisible();
    await page.evaluate(() => (window as unknown as { ParlorChat: { setLook(look: object): void } }).ParlorChat.setLook({ theme: 'dark', radius: 2 }));
    await expect(chat.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(chat.locator('html')).toHaveCSS('--round-card', '2px');
    // The accent of the example, as it can be read on dark.
    const accent = await chat.locator('html').evaluate((html) => html.style.getPropertyValue('--project-accent-dark'));
    expect(accent).toMatch(/^#[0-9a-f]{6}$/);
    expect(accent).not.toBe('#8a3b6f');
    await expectAccessible(page, 'in the dark theme');
  });
  expect(troubles).toEqual([]);
});

test('what is unread is counted, Escape closes, and the visitor can log out', async ({ page, house }) => {
  const later = gate();
  house.model.on(/Take your time/, [{ wait: later.passed }, ...words('Here is your answer.')]);
  await withSite(house, house.allowed, 'dora', async (url) => {
    await page.goto(url);
    await open(page).click();
    const chat = chatIn(page);
    await say(chat, 'Take your time');
    await expect(chat.getByText('Take your time').first()).toBeVisible();
    await chat.getByRole('button', { name: 'Close the chat' }).click();
    await expect(open(page)).toBeFocused();
    later.open();
    await expect(page.getByRole('button', { name: 'Open the chat (1 new message)' })).toBeVisible();
    await open(page).click();
    await expect(chat.getByText('Here is your answer.').first()).toBeVisible();
    await chat.locator('#composer').press('Escape');
    await expect(page.getByRole('button', { name: 'Open the chat', exact: true })).toBeFocused();
    await open(page).click();
    await chat.getByRole('button', { name: 'Earlier conversations' }).click();
    await chat.getByRole('menuitem', { name: 'Log out of the chat' }).click();
    await expect(chat.getByText('You are logged out of the chat.')).toBeVisible();
    await chat.getByRole('button', { name: 'Open it again' }).click();
    await expect(chat.getByText('Here is your answer.').first()).toBeVisible();
  });
});

test('a page that is not allowed gets neither the frame nor a token', async ({ page, house }) => {
  await withSite(house, house.other, 'ana', async (url) => {
    const refused = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
    await page.goto(url);
    await open(page).click();
    await refused;
    await expect(chatIn(page).locator('#composer')).toHaveCount(0);
    const status = await page.evaluate(async () => (await fetch('/parlor-token', { method: 'POST' })).status);
    expect(status).toBe(403);
  });
  // Nor can the chat itself be framed by a page that may show the embedded one.
  await withSite(house, house.allowed, 'ana', async (url) => {
    await page.goto(url);
    const refused = page.waitForEvent('console', (message) => /frame-ancestors|X-Frame-Options/.test(message.text()));
    await page.evaluate((address) => {
      const frame = document.createElement('iframe');
      frame.src = `${address}/login`;
      document.body.append(frame);
    }, house.server.url);
    await refused;
  });
});
