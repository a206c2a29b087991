import { expect, test } from './fixtures';
import type { Step } from './model';

/** U-2: no task over 100 ms while a hundred tokens a second stream in. */
test('the page stays responsive while it streams @figure', async ({ chat, page }) => {
  // Colours of code and the first drawing are not what is measured.
  await chat.say('Warm up', [{ text: 'Warm, `code`.\n\n' }]);
  await expect(chat.send).toBeVisible();
  await page.evaluate(() => {
    const tasks: number[] = [];
    (window as unknown as { tasks: number[] }).tasks = tasks;
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
  });
  const steps: Step[] = [];
  for (let at = 0; at < 400; at += 1) {
    steps.push({ text: at % 40 === 39 ? 'end.\n\n' : at % 13 === 0 ? `**w${at}** ` : `word${at} ` }, { pause: 10 });
  }
  await chat.say('Pour it out', steps);
  await expect(page.getByText('word398')).toBeVisible();
  await expect(chat.send).toBeVisible();
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  console.log(`the longest task took ${Math.max(0, ...tasks)} ms, of ${tasks.length} over 50 ms`);
  expect(Math.max(0, ...tasks)).toBeLessThan(100);
});
