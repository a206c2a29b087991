/**
 * A picture of each screen and state, to look at: spacing, alignment, contrast,
 * long words, empty and overfull. `cargo xtask screenshots` writes them to
 * `target/screenshots`. Nothing is compared.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

import { test } from '@playwright/test';

import { ParlorServer, PASSWORD } from '../browser/server';

const OUT = process.env['PARLOR_PICTURES'] ?? join(import.meta.dirname, '../../../target/screenshots');
const FAKE = join(import.meta.dirname, '../../dev/fake-server.mjs');

const STATES = [
  'list', 'recipe', 'approval', 'approval_edit', 'approval_refused', 'approval_expired', 'question', 'multi_question', 'plan',
  'plan_markdown', 'input', 'confirm', 'wizard', 'form', 'thinking', 'error', 'error_event', 'stopped', 'interrupted', 'unknown', 'hostile',
];

const LOOKS = [
  { name: 'desktop', use: { viewport: { width: 1280, height: 860 } } },
  { name: 'desktop-dark-pt', use: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark', locale: 'pt-BR' } },
  { name: 'phone', use: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true } },
] as const;

let fake: ChildProcess;
let address = '';

test.beforeAll(async () => {
  fake = spawn('node', [FAKE], { env: { ...process.env, PORT: '0', PACE: '2' }, stdio: ['ignore', 'pipe', 'inherit'] });
  address = await new Promise<string>((resolve) => fake.stdout?.once('data', (data: Buffer) => resolve(data.toString().trim())));
});

test.afterAll(() => {
  fake.kill();
});

for (const look of LOOKS) {
  test.describe(look.name, () => {
    test.use(look.use);

    test(`doors: ${look.name}`, async ({ page }) => {
      const server = new ParlorServer(null);
      await server.start();
      try {
        await page.goto(`${server.url}/login`);
        await page.screenshot({ path: join(OUT, look.name, 'login.png') });
        await page.locator('#password').fill('wrong');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/login');
        await page.screenshot({ path: join(OUT, look.name, 'login_wrong.png') });
        await page.locator('#password').fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.locator('#composer').waitFor();
        await page.waitForLoadState('networkidle');
        await page.screenshot({ path: join(OUT, look.name, 'empty.png') });
      } finally {
        await server.end();
      }
    });

    for (const state of STATES) {
      test(`${state}: ${look.name}`, async ({ page }) => {
        await page.goto(address);
        await page.locator('#composer').fill(`play ${state}`);
        await page.keyboard.press('Enter');
        await page.locator('[data-view]').getByText(`play ${state}`).waitFor();
        await page.waitForTimeout(2_500);
        await page.screenshot({ path: join(OUT, look.name, `${state}.png`) });
      });
    }
  });
}
