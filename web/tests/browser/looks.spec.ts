import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

const ANSWER = '# A heading\n\nText with a [link](https://example.org), `code` and **weight**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n```js\nconst a = "b"; // c\n```\n';

/** U-4: both languages, both themes, no violations. */
for (const language of ['en-US', 'pt-BR']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${language}, ${colorScheme}`, () => {
      test.use({ locale: language, colorScheme });

      test(`reads well: ${language}, ${colorScheme} @both`, async ({ chat, page }) => {
        await expectAccessible(page, 'the empty state');
        await chat.say(`Show everything ${language} ${colorScheme}`, words(ANSWER));
        await expect(page.locator('main table')).toBeVisible();
        await expect(page.locator('code .tok-keyword').first()).toBeVisible();
        await expectAccessible(page, 'an answer with everything');
        await expect(page.locator('html')).toHaveAttribute('lang', language === 'pt-BR' ? 'pt-BR' : 'en');
      });
    });
  }
}

/** WCAG 1.4.10: at 320 px nothing has to be scrolled sideways. */
test('fits the narrowest screen @phone', async ({ chat, page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await chat.say('Say a long word', words(`${'Donaudampfschifffahrt'.repeat(6)} and \`${'x'.repeat(200)}\`\n\n${ANSWER}`));
  await expect(page.locator('main table')).toBeVisible();
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wider).toBe(false);
  const main = await page.locator('[data-view]').evaluate((element) => element.scrollWidth > element.clientWidth + 1);
  expect(main).toBe(false);
});
