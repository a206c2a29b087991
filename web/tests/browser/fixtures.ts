/** The fixtures of every test: a server with a scripted model, and a logged-in page. */

import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Locator, type Page } from '@playwright/test';

import type { UserPrompt } from '../../src/protocol/generated';
import { Model, type Script } from './model';
import { API_KEY, ParlorServer, PASSWORD } from './server';

interface WorkerFixtures {
  world: { server: ParlorServer; model: Model };
}

interface Fixtures {
  /** The chat, logged in, without a conversation. */
  chat: Chat;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  world: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const model = await Model.start();
      const server = new ParlorServer(model.url);
      await server.start();
      await use({ server, model });
      await server.end();
      model.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  chat: async ({ page, world }, use) => {
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted ?Type|Uncaught/i.test(message.text())) troubles.push(message.text());
    });
    const chat = new Chat(page, world.server, world.model);
    await chat.logIn();
    await use(chat);
    const others = troubles.filter((one) => chat.foreseen?.test(one) !== true);
    expect(others, 'no errors, and nothing against the policy').toEqual([]);
  },
});

export { expect };

export class Chat {
  readonly composer: Locator;
  readonly send: Locator;
  readonly stop: Locator;

  /** What the policy has to refuse in this test. */
  foreseen: RegExp | null = null;

  constructor(
    readonly page: Page,
    readonly server: ParlorServer,
    readonly model: Model,
  ) {
    this.composer = page.locator('#composer');
    this.send = page.locator('form:has(#composer) button[type=submit]');
    this.stop = page.getByRole('button', { name: /^(Stop|Parar)$/ });
  }

  async logIn(password = PASSWORD): Promise<void> {
    await this.page.goto(`${this.server.url}/login`);
    await this.page.locator('#password').fill(password);
    await this.page.locator('form button').click();
    await expect(this.composer).toBeVisible();
  }

  /** Sends a message that only this test sends, and sets the model's reaction. */
  async say(text: string, script?: Script): Promise<void> {
    if (script) this.model.on(new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')), script);
    await this.composer.fill(text);
    // The text of the last answer is shown shortly before its end; until then nothing can be sent.
    await expect(this.send).toBeEnabled();
    await this.composer.press('Enter');
  }

  /** Stops a turn that waits for an answer: with the button, and its confirmation. */
  async stopWaiting(): Promise<void> {
    await this.stop.click();
    await this.page.getByRole('button', { name: /^(Stop now|Parar agora)$/ }).click();
  }

  /** Another client sets the deadline of an open prompt: several questions and wizards have none of their own (P-4). */
  async limit(question: string, seconds: number): Promise<void> {
    const headers = { 'X-API-Key': API_KEY };
    const open = await this.page.request.get(`${this.server.url}/api/prompts?status=open`, { headers });
    const { prompts } = (await open.json()) as { prompts: { prompt: UserPrompt }[] };
    const id = prompts.find(({ prompt }) => prompt.question === question)?.prompt.messageId;
    const extended = await this.page.request.post(`${this.server.url}/api/prompts/${id}/extend`, { headers, data: { seconds } });
    expect(extended.status(), `${question} has ${seconds} s`).toBe(200);
  }

  /** The agent's answers, newest last. */
  get answers(): Locator {
    return this.page.locator('article:has(> h2:text-matches("Parlor (said|disse)"))');
  }

  get main(): Locator {
    return this.page.getByRole('main');
  }
}

/** U-4: no accessibility violations, on every screen and state, in both themes. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  const [first, second] = isDark ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  await page.emulateMedia({ colorScheme: first });
  await expectNoViolations(page, `${what}, ${first}`);
  await page.emulateMedia({ colorScheme: second });
  await expectNoViolations(page, `${what}, ${second}`);
}

async function expectNoViolations(page: Page, what: string): Promise<void> {
  await page.evaluate(settled);
  // There are no frames, and passed checks are not reported: that takes a quarter of the time.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] }).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n  ')}`);
  expect(found, what).toEqual([]);
}

/**
 * In the page: waits until no transition runs, because colours are not final before. A change of theme takes
 * effect with the next frame, and only then do its transitions begin.
 */
async function settled(): Promise<void> {
  const frame = () => new Promise(requestAnimationFrame);
  for (;;) {
    await frame();
    await frame();
    const running = document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity && one.playState === 'running');
    if (running.length === 0) return;
    await Promise.allSettled(running.map((one) => one.finished));
  }
}
