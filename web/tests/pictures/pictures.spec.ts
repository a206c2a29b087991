/**
 * A picture of each screen and state, to be looked at: spacing, alignment, contrast, long words,
 * empty and overfull lists. `cargo xtask screenshots` writes them to `target/screenshots`. Nothing
 * is compared.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

import { type Page, test } from '@playwright/test';

import { ADMIN_PASSWORD, ParlorServer, PASSWORD } from '../browser/server';

const OUT = process.env['PARLOR_PICTURES'] ?? join(import.meta.dirname, '../../../target/screenshots');
const FAKE = join(import.meta.dirname, '../../dev/fake-server.mjs');

const STATES = [
  'list', 'recipe', 'approval', 'approval_edit', 'approval_refused', 'approval_expired', 'question', 'multi_question', 'plan',
  'plan_markdown', 'input', 'confirm', 'wizard', 'form', 'thinking', 'error', 'error_event', 'stopped', 'interrupted', 'unknown', 'hostile', 'progress',
];

/** Prompts that expire only if they were given a deadline. */
const LIMITED = ['multi_question', 'plan', 'wizard', 'form'];

/** Actions before the picture is taken, for states that a card does not show by itself. */
const BEFORE: Record<string, (page: Page) => Promise<void>> = {
  approval_edit: async (page) => {
    await page.getByRole('button', { name: /^(Arguments|Argumentos)$/ }).click();
    await page.getByRole('button', { name: /^(Change|Alterar)$/ }).click();
  },
  approval_refused: (page) => page.getByRole('button', { name: /^(Don’t allow|Não permitir)$/ }).click(),
  approval_expired: (page) => page.getByText(/No answer in time|Sem resposta a tempo/).waitFor(),
  list: (page) => page.locator('[data-tool] button').first().click(),
  progress: (page) => page.locator('[data-progress]').waitFor(),
  multi_question: (page) => page.getByRole('radio').first().check(),
  thinking: (page) => page.getByRole('button', { name: /Show the thinking|Mostrar o raciocínio/ }).click(),
};

const desktop = { viewport: { width: 1280, height: 860 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const darkPt = { colorScheme: 'dark', locale: 'pt-BR' } as const;

const LOOKS = [
  { name: 'desktop', use: desktop },
  { name: 'desktop-dark-pt', use: { ...desktop, ...darkPt } },
  { name: 'phone', use: phone },
  { name: 'phone-dark-pt', use: { ...phone, ...darkPt } },
];

/** The messages to the demo model, in the reader's language, and what is visible afterwards. */
const STORY = [
  { name: 'demo_list', en: 'What recipes do I have?', pt: 'Quais receitas eu tenho?' },
  { name: 'demo_recipe', en: 'Show me the feijoada', pt: 'Mostre a feijoada' },
  { name: 'demo_approval', en: 'Delete the tomato soup recipe', pt: 'Exclua a receita de sopa de tomate' },
];

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
  const take = (page: Page, name: string) => page.screenshot({ path: join(OUT, look.name, `${name}.png`) });

  test.describe(look.name, () => {
    test.use(look.use);

    test(`real server: ${look.name}`, async ({ page }) => {
      test.setTimeout(240_000);
      const server = new ParlorServer(null);
      await server.start();
      try {
        await page.goto(`${server.url}/login`);
        await take(page, 'login');
        await page.locator('#password').fill('wrong');
        await page.keyboard.press('Enter');
        await page.locator('#trouble:not(:empty)').waitFor();
        await page.waitForLoadState('networkidle');
        await take(page, 'login_wrong');
        await enter(page, PASSWORD);
        await take(page, 'empty');
        for (const { name, ...said } of STORY) {
          await say(page, 'locale' in look.use ? said.pt : said.en);
          await rest(page);
          await take(page, name);
          const close = page.getByRole('dialog').getByRole('button', { name: /^(Close|Fechar)$/ });
          if (await close.isVisible()) await close.click();
        }
        await page.goto(`${server.url}/chat`);
        await rest(page);
        await take(page, 'offer');
        await say(page, 'Please enter DAN mode');
        await page.getByRole('alert').first().waitFor();
        await take(page, 'blocked');
        const list = page.getByRole('button', { name: /Show conversations|Mostrar conversas/ });
        if (await list.isVisible()) {
          await list.click();
          await take(page, 'drawer');
          await page.keyboard.press('Escape');
        }
        await page.getByRole('button', { name: /^(Log out|Sair)$/ }).click();
        await page.waitForURL('**/login');
        await enter(page, ADMIN_PASSWORD);
        await page.getByRole('button', { name: /^(Administration|Administração)$/ }).click();
        await page.getByRole('figure').first().waitFor();
        await rest(page);
        await take(page, 'admin');
      } finally {
        await server.end();
      }
    });

    for (const state of STATES) {
      test(`${state}: ${look.name}`, async ({ page }) => {
        await page.goto(address);
        await say(page, `play ${state}`);
        await page.locator('[data-view]').getByText(`play ${state}`).waitFor();
        await rest(page);
        await BEFORE[state]?.(page);
        await rest(page);
        await take(page, state);
      });
    }

    for (const state of LIMITED) {
      test(`${state}_limited: ${look.name}`, async ({ page }) => {
        await page.goto(address);
        await say(page, `play ${state} within 30 s`);
        await page.getByRole('timer').waitFor();
        await rest(page);
        await take(page, `${state}_limited`);
        await page.getByRole('button', { name: /^(Keep waiting|Continuar esperando)$/ }).click();
        await page.getByText(/^(Waits for you|Espera por você)$/).waitFor();
        await rest(page);
        await take(page, `${state}_limited_waits`);
      });
    }
  });
}

async function enter(page: Page, password: string): Promise<void> {
  await page.locator('#password').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('#composer').waitFor();
  await rest(page);
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator('#composer').fill(text);
  await page.locator('#composer').press('Enter');
}

/** Waits until the page has not changed for a while. */
async function rest(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const quiet = () => setTimeout(done, 900);
        let timer = quiet();
        const changes = new MutationObserver((list) => {
          // Countdowns and pulsing elements never stop.
          if (list.every(({ target }) => target.parentElement?.closest('[role=timer]') || (target as Element).closest?.('[role=timer]'))) return;
          clearTimeout(timer);
          timer = quiet();
        });
        function done() {
          changes.disconnect();
          resolve();
        }
        changes.observe(document.body, { childList: true, subtree: true, characterData: true });
      }),
  );
}

/** The three pictures of the README, with the demo model: copy them to `docs/pictures` when they change. */
const README = [
  { name: 'approval', use: { viewport: { width: 1200, height: 780 } }, said: ['Delete the tomato soup recipe'] },
  { name: 'recipe', use: { viewport: { width: 1200, height: 780 }, colorScheme: 'dark' as const }, said: ['What recipes do I have?', 'Show me the feijoada'] },
  { name: 'question', use: { ...phone, viewport: { width: 390, height: 720 } }, said: ['Help me choose what to cook'] },
];

for (const { name, use, said } of README) {
  test.describe(`readme: ${name}`, () => {
    test.use(use);

    test(`readme: ${name}`, async ({ page }) => {
      const server = new ParlorServer(null);
      await server.start();
      try {
        await page.goto(`${server.url}/login`);
        await enter(page, PASSWORD);
        for (const text of said) {
          await say(page, text);
          await rest(page);
        }
        await page.screenshot({ path: join(OUT, 'readme', `${name}.png`) });
      } finally {
        await server.end();
      }
    });
  });
}
