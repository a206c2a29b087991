/** I-1 to I-5: the examples of the documentation work, with the demo model and Recipe Vault. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from '@playwright/test';

import { API_KEY, ParlorServer } from './server';

const SOURCE = join(import.meta.dirname, '../../../examples');
/** Not below `node_modules`: vite takes what is there for finished. */
const PLACE = join(process.env['CARGO_TARGET_DIR'] ?? join(import.meta.dirname, '../../../target'), 'tmp/examples');
const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error'];

// One after the other: they share an installation and a server.
test.describe.configure({ mode: 'serial', timeout: 120_000 });

let server: ParlorServer;
const environment = () => ({ PATH: process.env['PATH'], PARLOR_URL: server.url, PARLOR_KEY: API_KEY });

test.beforeAll(async () => {
  const own = (path: string) => !path.includes('node_modules');
  cpSync(SOURCE, PLACE, { recursive: true, filter: (path) => own(path.slice(SOURCE.length)) });
  await promisify(execFile)('npm', INSTALL, { cwd: PLACE });
  server = new ParlorServer(null);
  await server.start();
});
test.afterAll(async () => server.end());

/** Runs a script to its end, answering what it asks; returns what it printed. */
async function run(script: string, argument = '', answer = 'y\n'): Promise<string> {
  const child = spawn('node', [script, ...(argument === '' ? [] : [argument])], { cwd: PLACE, env: environment() });
  let printed = '';
  child.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
    if (data.toString().includes('[y/N]')) child.stdin.write(answer);
  });
  child.stderr.on('data', (data: Buffer) => (printed += data.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  expect(code, printed).toBe(0);
  return printed;
}

/** Serves a page of the examples; returns its address. */
async function serve(folder: string): Promise<{ page: ChildProcess; url: string }> {
  const page = spawn('npx', ['vite', folder, '--config', 'vite.config.js', '--port', '0', '--host', '127.0.0.1'], {
    cwd: PLACE,
    env: { ...environment(), NO_COLOR: '1' },
    // With its group, so that everything is ended.
    detached: true,
  });
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    page.stdout.on('data', (data: Buffer) => {
      printed += data.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
      if (address !== undefined) resolve(address);
    });
    page.once('exit', () => reject(new Error(`vite ended: ${printed}`)));
  });
  return { page, url };
}

const end = (child: ChildProcess) => {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
};

test('AG-UI on a terminal, with an approval', async () => {
  expect(await run('agui/chat.mjs', 'What recipes do I have?')).toContain('Tomato Soup');
  const refused = await run('agui/chat.mjs', 'Delete the tomato soup recipe', 'n\n');
  expect(refused).toMatch(/Allow “Delete a recipe”\? \[y\/N\]/);
  expect(refused).toContain('stays as it is');
});

test('OpenAI chat completions', async () => {
  expect(await run('openai/chat.mjs', 'What recipes do I have?')).toContain('Tomato Soup');
});

test('OpenAI Responses, with an approval', async () => {
  const printed = await run('openai/approvals.mjs', 'Delete the tomato soup recipe', 'n\n');
  expect(printed).toContain('Allow delete_recipe');
  expect(printed).toContain('stays as it is');
});

test('MCP', async () => {
  const printed = await run('mcp/recipes.mjs');
  expect(printed).toContain('list_recipes');
  expect(printed).toContain('Tomato Soup');
});

test('useChat on a page: an approval survives a reload', async ({ page }) => {
  const example = await serve('aisdk');
  try {
    await page.goto(example.url);
    await page.locator('input[name=text]').fill('Delete the tomato soup recipe');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Allow delete_recipe?')).toBeVisible();
    await page.reload();
    await expect(page.getByText('Allow delete_recipe?')).toBeVisible();
    await page.getByRole('button', { name: 'No' }).click();
    await expect(page.getByText('stays as it is')).toBeVisible();
  } finally {
    end(example.page);
  }
});

test('CopilotKit on a page: the conversation is there after a reload', async ({ page }) => {
  const example = await serve('copilotkit');
  try {
    await page.goto(example.url);
    await page.locator('input[name=text]').fill('Delete the tomato soup recipe');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Allow “Delete a recipe”?').first()).toBeVisible();
    await page.reload();
    await expect(page.getByText('Allow “Delete a recipe”?').first()).toBeVisible();
    await expect(page.getByText('Delete the tomato soup recipe')).toBeVisible();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await expect(page.getByText('stays as it is')).toBeVisible();
  } finally {
    end(example.page);
  }
});
