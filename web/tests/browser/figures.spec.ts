/** Measurements, printed for the reader: `cargo xtask figures`. No time is asserted. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { expect, test } from './fixtures';
import type { Step } from './model';

const DIST = join(import.meta.dirname, '../../dist/assets');

interface Task {
  at: number;
  took: number;
}

/** Records tasks of more than 50 ms from now on, and what the page does with its time. */
async function watchTasks(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const tasks: Task[] = [];
    const began = performance.now();
    (window as unknown as { tasks: Task[] }).tasks = tasks;
    const note = (entry: PerformanceEntry) => tasks.push({ at: entry.startTime - began, took: entry.duration });
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type: 'longtask' });
  });
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const spent = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  };
  const before = await spent();
  return async () => {
    const tasks = await page.evaluate(() => (window as unknown as { tasks: Task[] }).tasks);
    const after = await spent();
    const took = (name: string) => `${(after(name) - before(name)).toFixed(1)} s`;
    const parts = `script ${took('ScriptDuration')}, style ${took('RecalcStyleDuration')}, layout ${took('LayoutDuration')}`;
    return `${parts}; ${sayLongest(tasks)}`;
  };
}

function sayLongest(tasks: readonly Task[]): string {
  const [longest] = tasks.toSorted((a, b) => b.took - a.took);
  if (!longest) return 'no task over 50 ms';
  const over = tasks.filter(({ took }) => took > 100).length;
  return `${tasks.length} tasks over 50 ms, ${over} over 100 ms, the longest ${longest.took} ms (after ${(longest.at / 1_000).toFixed(1)} s)`;
}

/** The first load is below 200 KB, and does not contain rarely needed parts. */
test('the size of the first load @figure', async ({ chat, page }) => {
  await page.context().clearCookies();
  await page.goto(`${chat.server.url}/login`);
  const names = () => page.evaluate(() => performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname));
  const weight = (list: string[], ending: string) =>
    list.reduce((sum, name) => {
      const file = `${name.slice('/assets/'.length)}.${ending}`;
      return readdirSync(DIST).includes(file) ? sum + readFileSync(join(DIST, file)).length : sum;
    }, 0);
  console.log(`the login page asks for: ${(await names()).join(' ')}`);
  await chat.logIn();
  // What the page itself names: the rest comes when it is needed, or when the page has been idle.
  const html = await (await page.request.get(`${chat.server.url}/chat`)).text();
  const loaded = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  const gzipped = weight(loaded, 'gz');
  console.log(`the chat's first load: ${(gzipped / 1000).toFixed(1)} kB gzipped, ${(weight(loaded, 'br') / 1000).toFixed(1)} kB with brotli, in ${loaded.length} files`);
  expect(gzipped).toBeLessThan(200_000);
  expect(loaded.filter((name) => /AdminPage|RecipePanel|engine-javascript|core-|math-|Diagram|diagram/.test(name))).toEqual([]);
});

/** U-2: the duration of tasks while a hundred tokens a second stream in. */
test('a hundred tokens a second @figure', async ({ chat, page }) => {
  // Highlighting and the first rendering are not measured.
  await chat.say('Warm up', [{ text: 'Warm, `code`.\n\n' }]);
  await expect(chat.send).toBeVisible();
  const tasks = await watchTasks(page);
  const steps: Step[] = [];
  for (let at = 0; at < 1_000; at += 1) {
    steps.push({ text: at % 40 === 39 ? 'end.\n\n' : at % 13 === 0 ? `**w${at}** ` : `word${at} ` }, { pause: 9 });
  }
  const began = Date.now();
  await chat.say('Pour it out', steps);
  await expect(page.getByText('word998')).toBeVisible({ timeout: 60_000 });
  await expect(chat.send).toBeVisible();
  console.log(`a thousand tokens in ${Date.now() - began} ms: ${await tasks()}`);
});

/** Thirty kilobytes, as one block or as many: what a long answer may be. */
const LONG: Record<string, (at: number) => string> = {
  paragraphs: (at) => `Paragraph ${at} has **some** words, \`code\` and a [link](https://example.org/${at}) in it, and goes on a little.\n\n`,
  'one list': (at) => `- Item ${at} has **some** words, \`code\` and a [link](https://example.org/${at})\n`,
  'one table': (at) => `${at === 0 ? '| a | b | c |\n|---|---|---|\n' : ''}| Row ${at} | **some** words | \`code\` |\n`,
  'one quote': (at) => `> Line ${at} has **some** words and \`code\`.\n>\n`,
  'one block of code': (at) => `${at === 0 ? '```ts\n' : ''}export const value${at} = { name: "value ${at}", even: ${at % 2 === 0}, of: [1, 2, ${at}] }; // ${at}\n`,
  'one paragraph': (at) => `Sentence ${at} has **some** words and \`code\` in it. `,
  formulas: (at) => `Line ${at}: $x_{${at}} = \\frac{a}{${at}}$ and\n\n$$\n\\sum_{k=1}^{${at}} k^2\n$$\n\n`,
  'footnotes and links': (at) => `Claim ${at}[^${at}] of [one][l${at}].\n\n[^${at}]: Source ${at}.\n\n[l${at}]: https://example.org/${at}\n\n`,
};

/** U-2: no task of more than 100 ms while thirty kilobytes stream in, whatever they are. */
for (const [name, part] of Object.entries(LONG)) {
  test(`thirty kilobytes: ${name} @figure`, async ({ chat, page }) => {
    test.setTimeout(240_000);
    // What is loaded and compiled at first is not measured.
    await chat.say('Warm up', [{ text: 'Warm, $x$.\n\n```ts\nconst a = { b: "c" }; // d\n```\n\n| a |\n|---|\n| b |\n' }]);
    await expect(chat.send).toBeVisible();
    await expect(page.locator('.tok-keyword').first()).toBeVisible();
    let text = '';
    for (let at = 0; text.length < 30_000; at += 1) text += part(at);
    const tokens = text.match(/[^]{1,12}/g) ?? [];
    const tasks = await watchTasks(page);
    const began = Date.now();
    await chat.say(`Pour out ${name}`, tokens.flatMap((token): Step[] => [{ text: token }, { pause: 9 }]));
    await expect(chat.stop).toBeVisible();
    await expect(chat.stop).toBeHidden({ timeout: 200_000 });
    await page.waitForTimeout(1_000);
    console.log(`30 kB as ${name}: ${tokens.length} tokens in ${Date.now() - began} ms: ${await tasks()}`);
  });
}

/** A thousand messages: opened, and scrolled from the end to the beginning. */
test('a thousand messages @figure', async ({ chat, page }) => {
  test.setTimeout(300_000);
  chat.model.on(/^Thousandth/, [{ text: 'A **long** answer:\n\n- one\n- two\n\n```js\nconst a = 1;\n```\n\nAnd a closing sentence.' }]);
  const ask = (message: string, conversation_id?: string) =>
    page.request.post(`${chat.server.url}/api/chat`, { headers: { origin: chat.server.url }, data: { message, conversation_id } });
  const id = /"conversation_id":"([^"]+)"/.exec(await (await ask('Thousandth part 0')).text())?.[1] ?? '';
  for (let at = 1; at < 500; at += 1) expect((await ask(`Thousandth part ${at}`, id)).ok()).toBe(true);
  await page.reload();
  const row = page.getByRole('navigation').getByRole('button', { name: 'Thousandth part 0', exact: true });
  await expect(row).toBeVisible();
  let tasks = await watchTasks(page);
  const began = Date.now();
  await row.click();
  await expect(chat.main.getByText('Thousandth part 499')).toBeInViewport();
  console.log(`a thousand messages open in ${Date.now() - began} ms: ${await tasks()}`);
  tasks = await watchTasks(page);
  const { frames, longest, drawn } = await page.locator('[data-view]').evaluate(async (view) => {
    const taken: number[] = [];
    let most = 0;
    let before = performance.now();
    for (let still = 0; still < 30; ) {
      const top = view.scrollTop;
      view.scrollBy(0, -400);
      await new Promise(requestAnimationFrame);
      taken.push(performance.now() - before);
      before = performance.now();
      most = Math.max(most, view.querySelectorAll('[data-message-id]').length);
      still = view.scrollTop === top || view.scrollTop === 0 ? still + 1 : 0;
    }
    return { frames: taken.toSorted((a, b) => a - b), longest: Math.max(...taken), drawn: most };
  });
  const at = (part: number) => (frames[Math.floor(frames.length * part)] ?? 0).toFixed(0);
  console.log(`scrolled to the beginning in ${frames.length} frames: half within ${at(0.5)} ms, 95 % within ${at(0.95)} ms, the longest ${longest.toFixed(0)} ms, ${drawn} rows drawn at most; ${await tasks()}`);
  await expect(chat.main.getByText('Thousandth part 0', { exact: true })).toBeInViewport();
});
