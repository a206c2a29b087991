import { Chat, expect, expectAccessible, test } from './fixtures';
import { type Script, words } from './model';
import { ADMIN_PASSWORD } from './server';

const ANSWER = '# A heading\n\nText with a [link](https://example.org), `code` and **weight**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n```js\nconst a = "b"; // c\n```\n';

const OPTIONS = [{ label: 'Soup', value: 'soup', description: 'Warm' }, { label: 'Cookies', value: 'cookies' }];

const asking = (input: object): Script => ({ results }) => (results.length === 0 ? [{ tool: 'ask_user', input }] : words('Well then.'));

/** The messages that open a card of each kind. */
const CARDS: Record<string, Script> = {
  question: asking({ type: 'select', question: 'What should I cook?', options: OPTIONS, severity: 'major', default: 'soup' }),
  input: asking({ type: 'input', question: 'What is it called?' }),
  several: asking({ type: 'multi_question', question: 'Two decisions', questions: [{ id: 'a', question: 'Which?', options: OPTIONS, allow_other: true }, { id: 'b', question: 'Which ones?', options: OPTIONS, multi_select: true }] }),
  wizard: asking({ type: 'wizard', question: 'A new recipe', steps: [{ id: 'a', title: 'Title', type: 'input', question: 'Its name?' }, { id: 'b', title: 'Kind', type: 'select', question: 'Its kind?', options: OPTIONS }] }),
  approval: ({ results }) => {
    const soup = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
    if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
    return results.length === 1 ? [{ tool: 'update_recipe', input: { recipe_id: soup, servings: 9 } }] : words('Well then.');
  },
};

/** Cards without a deadline, by their question. */
const UNLIMITED: Record<string, string | undefined> = { several: 'Two decisions', wizard: 'A new recipe' };

const PLAN = { goal: 'Dinner for four', steps: [{ step_number: 1, action: 'Shop', reason: 'The pantry is empty', tools_needed: ['list_recipes'], estimated_time: '5 min', risks: ['It may rain'] }], risks: ['The oven is small'] };

/** U-4: both languages, both themes, no violations. */
for (const language of ['en-US', 'pt-BR']) {
  test.describe(language, () => {
    test.use({ locale: language, colorScheme: language === 'en-US' ? 'light' : 'dark' });

    test(`reads well: ${language} @both`, async ({ chat, page }) => {
      await expectAccessible(page, 'the empty state');
      await chat.say(`Show everything ${language}`, words(ANSWER));
      await expect(page.locator('main table')).toBeVisible();
      await expect(page.locator('code .tok-keyword').first()).toBeVisible();
      await expectAccessible(page, 'an answer with everything');
      await expect(page.locator('html')).toHaveAttribute('lang', language === 'pt-BR' ? 'pt-BR' : 'en');
    });

    test(`every card reads well: ${language}`, async ({ chat, page }) => {
      const open = page.locator('[data-card]:not([data-card=closed])');
      for (const [name, script] of Object.entries(CARDS)) {
        await chat.say(`Card ${name} ${language}`, script);
        await expect(open, name).toHaveCount(1);
        const asked = UNLIMITED[name];
        if (asked) await chat.limit(asked, 600);
        await expect(page.getByRole('timer'), name).toBeVisible();
        if (name === 'approval') await page.getByRole('button', { name: /^(Arguments|Argumentos)$/ }).click();
        await expectAccessible(page, name);
        await chat.stopWaiting();
        await expect(chat.send).toBeVisible();
      }
      await chat.say(`Card plan ${language}`, words(JSON.stringify(PLAN)));
      await expect(page.getByText('The oven is small')).toBeVisible();
      await expectAccessible(page, 'a plan');
      await chat.say(`Card error ${language}`, [{ status: 400 }]);
      await expect(page.locator('[data-card=critical]')).toBeVisible();
      await expectAccessible(page, 'an error, and cards that are closed');
    });

    test(`every screen reads well: ${language}`, async ({ page, world }) => {
      await page.goto(`${world.server.url}/login`);
      await page.locator('#password').fill('wrong');
      await page.locator('form button').click();
      await expectAccessible(page, 'the form with its trouble');
      const chat = new Chat(page, world.server, world.model);
      await chat.logIn(ADMIN_PASSWORD);
      await chat.say(`Panel ${language}`, ({ results }) => {
        const recipe = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
        if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
        return results.length === 1 ? [{ tool: 'display_recipe', input: { recipe_id: recipe } }] : words('Here it is.');
      });
      await expect(page.getByRole('complementary', { name: /^(Recipe|Receita)$/ }).getByRole('checkbox').first()).toBeVisible();
      await expectAccessible(page, 'the recipe panel');
      await page.getByRole('button', { name: /^(Administration|Administração)$/ }).click();
      await page.getByRole('link', { name: /^(Tool servers|Ferramentas)$/ }).click();
      await expect(page.getByText(/^recipes (ready|pronto)/)).toBeVisible();
      await expectAccessible(page, 'the admin page');
    });
  });
}

/** WCAG 1.4.10: at 320 px nothing needs horizontal scrolling. */
test('fits the narrowest screen @phone', async ({ chat, page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await chat.say('Say a long word', words(`${'Donaudampfschifffahrt'.repeat(6)} and \`${'x'.repeat(200)}\`\n\n${ANSWER}`));
  await expect(page.locator('main table')).toBeVisible();
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wider).toBe(false);
  const main = await page.locator('[data-view]').evaluate((element) => element.scrollWidth > element.clientWidth + 1);
  expect(main).toBe(false);
});
