import { expect, expectAccessible, test } from './fixtures';
import { type ModelRequest, type Step, words } from './model';

interface Listed {
  id: string;
  title: string;
}

/** The id of a recipe, from the list that the tool returned. */
function idOf(title: string, result: string): string {
  const found = JSON.parse(result) as Listed[] | { recipes: Listed[] };
  const list = Array.isArray(found) ? found : found.recipes;
  return list.find((recipe) => recipe.title === title)?.id ?? 'unknown';
}

/** Looks for a recipe, calls a tool with it, then reports it. */
const doing =
  (tool: string, title: string, more: object = {}) =>
  ({ results }: ModelRequest): Step[] => {
    if (results.length === 0) return [{ text: 'Let me look.' }, { tool: 'list_recipes', input: {} }];
    if (results.length === 1) return [{ tool, input: { recipe_id: idOf(title, results[0] ?? ''), ...more } }];
    return words('That is done.');
  };

/** H-3, U-2, T-6: the running call is shown, then its result, folded. */
test('a list is fetched by a tool', async ({ chat, page }) => {
  await chat.say('What recipes are there', ({ results }) => (results.length === 0 ? [{ tool: 'list_recipes', input: {} }] : words('Here they are.')));
  await expect(page.getByRole('button', { name: /\d+ recipes found/ })).toBeVisible();
  await expect(chat.answers.last()).toHaveText(/Here they are/);
  await page.getByRole('button', { name: /\d+ recipes found/ }).click();
  await expect(page.getByLabel('Result', { exact: true })).toContainText('Tomato Soup');
  await expectAccessible(page, 'a tool result, unfolded');
});

/** a recipe opens beside the chat on a desktop, over it on a phone, and can be closed. */
test('a recipe is shown beside the chat, or over it @both', async ({ chat, page, isMobile }) => {
  await chat.say('Show me the soup', doing('display_recipe', 'Tomato Soup'));
  const panel = isMobile ? page.getByRole('dialog', { name: 'Recipe' }) : page.getByRole('complementary', { name: 'Recipe' });
  await expect(panel.getByRole('heading', { name: 'Tomato Soup' })).toBeVisible();
  await expectAccessible(page, 'a recipe');
  const tomatoes = panel.getByRole('checkbox', { name: /ripe tomatoes/ });
  await expect(panel.getByText('1.2 kg')).toBeVisible();
  await panel.getByRole('button', { name: 'More servings' }).click();
  await expect(panel.getByText('1½ kg')).toBeVisible();
  await tomatoes.check();
  const chatBox = await chat.main.boundingBox();
  const panelBox = await panel.boundingBox();
  if (isMobile) expect(panelBox?.width).toBe(390);
  else expect((chatBox?.x ?? 0) + (chatBox?.width ?? 0)).toBeLessThanOrEqual((panelBox?.x ?? 0) + 1);
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(panel).toBeHidden();
  await page.getByRole('button', { name: 'Open the recipe' }).click();
  await expect(panel.getByRole('heading', { name: 'Tomato Soup' })).toBeVisible();
  // The amounts and the checked ingredients are kept, also after a reload.
  await page.reload();
  await page.getByRole('button', { name: 'Open the recipe' }).click();
  await expect(panel.getByText('1½ kg')).toBeVisible();
  await expect(tomatoes).toBeChecked();
});

/** if a recipe is gone, the panel says so and stays open. */
test('a recipe that is gone says so', async ({ chat, page }) => {
  await page.route('**/api/recipes/*', (route) => route.fulfill({ status: 404, json: { error: { code: 'not_found', message: 'x' } } }));
  await chat.say('Show me a lost one', doing('display_recipe', 'Tomato Soup'));
  await expect(page.getByText('Recipe not found')).toBeVisible();
  await expectAccessible(page, 'a recipe that is gone');
  await page.getByRole('button', { name: 'Back to the chat' }).click();
  await expect(page.getByText('Recipe not found')).toBeHidden();
});

/** T-5, P-7, P-2: name, arguments, preview; arguments are edited; what runs is what was shown. */
test('a change is previewed, edited and allowed @both', async ({ chat, page }) => {
  await chat.say('Make the soup for six', doing('update_recipe', 'Tomato Soup', { servings: 6 }));
  await expect(page.getByRole('heading', { name: 'Parlor wants to change “Tomato Soup”' })).toBeVisible();
  const preview = page.getByRole('group', { name: /What changes, field by field/ });
  await expect(preview.getByRole('row', { name: /Servings/ })).toContainText('changed');
  await expectAccessible(page, 'an approval');
  await page.getByRole('button', { name: 'Arguments' }).click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('spinbutton', { name: /Servings/ }).fill('5');
  await expectAccessible(page, 'an approval being edited');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect(chat.answers.last()).toHaveText(/That is done/);
  await expect(chat.main.getByText('Allowed with changes')).toBeVisible();
  const recipes = (await (await page.request.get(`${chat.server.url}/api/recipes`)).json()) as Listed[] | { recipes: Listed[] };
  const { id } = (Array.isArray(recipes) ? recipes : recipes.recipes).find((recipe) => recipe.title === 'Tomato Soup') ?? { id: '' };
  const soup = (await (await page.request.get(`${chat.server.url}/api/recipes/${id}`)).json()) as { servings: number };
  expect(soup.servings).toBe(5);
});

/** P-2: a refused call is not made, and the agent is told. */
test('a deletion is refused with a reason', async ({ chat, page }) => {
  await chat.say('Delete the cookies', ({ results, ...request }) => {
    const [, second] = results;
    if (second !== undefined) return words(`I was told: ${second}`);
    return doing('delete_recipe', 'Chocolate Chip Cookies')({ results, ...request });
  });
  await expect(page.getByRole('button', { name: 'Delete recipe' })).toBeVisible();
  await expect(page.getByText('Is deleted')).toBeVisible();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await expectAccessible(page, 'the menu of an approval');
  await page.getByRole('menuitem', { name: /say why/ }).click();
  await page.getByRole('textbox', { name: /Why not/ }).fill('They are the best');
  await page.getByRole('button', { name: 'Don’t allow' }).click();
  await expect(chat.main.getByText('Cancelled by the user')).toBeVisible();
  await expect(chat.answers.last()).toContainText('They are the best');
});

/** P-11: an allowance for this conversation is visible, and can be revoked. */
test('an allowance applies until it is revoked', async ({ chat, page }) => {
  await chat.say('Rename the soup once', doing('update_recipe', 'Tomato Soup', { description: 'First' }));
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /Always allow/ }).click();
  await expect(chat.answers.last()).toHaveText(/That is done/);
  await expect(page.getByText('Allowed without asking here:')).toBeVisible();
  await expectAccessible(page, 'with something allowed');
  await chat.say('Rename the soup twice', doing('update_recipe', 'Tomato Soup', { description: 'Second' }));
  await expect(chat.answers.getByText('That is done.')).toHaveCount(2);
  await page.getByRole('button', { name: /Ask again before/ }).click();
  await expect(page.getByText('Allowed without asking here:')).toBeHidden();
  await chat.say('Rename the soup thrice', doing('update_recipe', 'Tomato Soup', { description: 'Third' }));
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
  await chat.stopWaiting();
  await expect(chat.main.getByText('Stopped')).toBeVisible();
});

/** FAULTS 26: hostile text in the fields of a recipe runs nothing. */
test('hostile recipes run nothing', async ({ chat, page }) => {
  const payload = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
  const made = await page.request.post(`${chat.server.url}/api/recipes`, {
    headers: { origin: chat.server.url },
    data: { title: `Hostile ${payload}`, description: payload, ingredients: [{ name: payload, unit: '<b>', quantity: 1 }], steps: [{ instruction: payload }] },
  });
  expect(made.ok(), await made.text()).toBe(true);
  await chat.say('Show me the hostile one', doing('display_recipe', `Hostile ${payload}`));
  await expect(page.getByRole('heading', { name: /Hostile/ })).toBeVisible();
  await expect(page.locator('aside img, aside script')).toHaveCount(0);
  expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
});

/** a recipe is edited where it stands, and what somebody else wrote meanwhile is not overwritten in silence. */
test('a recipe is edited in place @both', async ({ chat, page, isMobile }) => {
  const title = `Green Soup ${isMobile}`;
  const made = await page.request.post(`${chat.server.url}/api/recipes`, {
    headers: { origin: chat.server.url },
    data: { title, servings: 2, ingredients: [{ name: 'peas', quantity: 500, unit: 'g' }], steps: [{ instruction: 'Boil.' }] },
  });
  const { id } = (await made.json()) as { id: string };
  if (isMobile) await page.setViewportSize({ width: 320, height: 640 });
  await chat.say(`Show the green one ${isMobile}`, doing('display_recipe', title));
  const panel = isMobile ? page.getByRole('dialog', { name: 'Recipe' }) : page.getByRole('complementary', { name: 'Recipe' });
  await panel.getByRole('button', { name: 'Edit' }).click();
  await expectAccessible(page, 'a recipe that is edited');
  expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
  await panel.getByRole('textbox', { name: 'Ingredient 1', exact: true }).fill('frozen peas');
  const theirs = await page.request.put(`${chat.server.url}/api/recipes/${id}`, {
    headers: { origin: chat.server.url },
    data: { title, servings: 3, ingredients: [{ name: 'mint' }], steps: [{ instruction: 'Chop.' }] },
  });
  expect(theirs.status()).toBe(200);
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByRole('alert')).toContainText('Somebody changed this recipe');
  await expectAccessible(page, 'a recipe that somebody else changed');
  await panel.getByRole('button', { name: 'Show theirs, drop mine' }).click();
  await expect(panel.getByText('mint')).toBeVisible();
  await panel.getByRole('button', { name: 'Edit' }).click();
  await panel.getByRole('textbox', { name: 'Ingredient 1', exact: true }).fill('fresh mint');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByText('fresh mint')).toBeVisible();
});

/** Only the recipe is on the paper. */
test('a recipe is printed alone', async ({ chat, page }) => {
  await chat.say('Show me something to print', doing('display_recipe', 'Feijoada'));
  const panel = page.getByRole('complementary', { name: 'Recipe' });
  await expect(panel.getByRole('heading', { name: 'Feijoada' })).toBeVisible();
  await page.evaluate(() => Object.assign(window, { print: () => Object.assign(window, { printing: document.documentElement.dataset['printing'] }) }));
  await panel.getByRole('button', { name: 'Print' }).click();
  expect(await page.evaluate(() => (window as unknown as { printing?: string }).printing)).toBe('recipe');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { name: 'Feijoada' })).toBeVisible();
  await expect(page.getByText('carne seca').first()).toBeVisible();
  await expect(chat.composer).toBeHidden();
  await expect(page.getByRole('navigation')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Edit' })).toBeHidden();
  await page.screenshot({ path: 'node_modules/.playwright/print.png', fullPage: true });
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({ media: 'screen' });
  await expect(chat.composer).toBeVisible();
});

/** A recipe comes in as text, is reviewed, and is saved. */
test('a recipe is imported from text @both', async ({ chat, page, isMobile }) => {
  const title = `Grandma’s Toast ${isMobile}`;
  await expect(chat.composer).toBeVisible();
  await page.getByRole('button', { name: 'Import a recipe' }).click();
  const panel = isMobile ? page.getByRole('dialog', { name: 'Import a recipe' }) : page.getByRole('complementary', { name: 'Import a recipe' });
  const field = panel.getByRole('textbox', { name: /Address of a page/ });
  await field.fill('http://169.254.169.254/');
  await panel.getByRole('button', { name: 'Read it' }).click();
  await expect(panel.getByRole('alert')).toContainText('only public web pages');
  await expectAccessible(page, 'an import that was refused');
  await field.fill(`${title}\nServes 2\nIngredients\n- 2 slices of bread\n1/2 tsp salt\nSteps\n1. Toast it.\nNotes\nBest when hot`);
  await panel.getByRole('button', { name: 'Read it' }).click();
  await expect(panel.getByText('Best when hot')).toBeVisible();
  await expect(panel.getByRole('textbox', { name: 'Unit of ingredient 1' })).toHaveValue('slices');
  await expectAccessible(page, 'an import to review');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: title })).toBeVisible();
  await expect(page.getByText('Toast it.')).toBeVisible();
});

test('the names in a list of recipes open them', async ({ chat, page }) => {
  await chat.say('List them to click', ({ results }) => (results.length === 0 ? [{ tool: 'list_recipes', input: {} }] : words('There.')));
  await page.getByRole('button', { name: /\d+ recipes found/ }).click();
  await page.getByRole('list', { name: 'Recipes in this result' }).getByRole('button', { name: 'Feijoada' }).click();
  await expect(page.getByRole('complementary', { name: 'Recipe' }).getByRole('heading', { name: 'Feijoada' })).toBeVisible();
});
