import { type Browser, type Page } from '@playwright/test';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { Model, words } from './model';
import { API_KEY, ParlorServer } from './server';

const SHOTS = process.env['PARLOR_SHOTS'];

/** For a look at the page, where somebody wants one. */
async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

const CONFIG = `[tenants.home]
roles = ["cook"]

[tenants.home.projects.recipes]
prompt_timeout = "0"

[tenants.home.projects.recipes.mcp.recipes.tools.delete_recipe]
approvers = ["role:cook", "other"]
`;

/** Somebody with an account and these roles, on a page of their own. */
async function join(browser: Browser, server: ParlorServer, name: string, locale: string, roles: string[]): Promise<Page> {
  const page = await (await browser.newContext({ locale, viewport: { width: 1280, height: 860 } })).newPage();
  const headers = { 'X-API-Key': API_KEY };
  const made = await page.request.post(`${server.url}/api/people/invitations`, { headers, data: {} });
  const { link } = (await made.json()) as { link: string };
  await page.goto(link);
  await page.locator('[name=name]').fill(name);
  await page.locator('[name=password]').fill(`${name} has a password`);
  await page.locator('[name=again]').fill(`${name} has a password`);
  await page.locator('form button').click();
  await expect(page.locator('#composer')).toBeVisible();
  const me = (await (await page.request.get(`${server.url}/api/me`)).json()) as { person: { id: string } };
  const set = await page.request.patch(`${server.url}/api/people/${me.person.id}`, { headers, data: { roles } });
  expect(set.status()).toBe(200);
  await page.reload();
  return page;
}

/** Y-2, U-4: who asked cannot answer, somebody else with the role can, without seeing the conversation. */
test('a prompt is answered by somebody else', async ({ browser }) => {
  const model = await Model.start();
  const server = new ParlorServer(model.url, CONFIG);
  await server.start();
  const ana = await join(browser, server, 'Ana', 'en-US', ['cook']);
  const cleo = await join(browser, server, 'Cleo', 'pt-BR', ['cook']);
  const list = await ana.request.get(`${server.url}/api/recipes`);
  const [recipe] = ((await list.json()) as { recipes: { id: string }[] }).recipes;
  const chat = new Chat(ana, server, model);
  await chat.say('Delete the first one', ({ results }) =>
    results.length > 0 ? words('It is gone.') : [{ tool: 'delete_recipe', input: { recipe_id: recipe?.id } }],
  );
  await expect(ana.getByText('You may not answer this.')).toBeVisible();
  await expect(chat.main.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await expect(ana.getByText('A question waits for the answer of somebody else.')).toBeVisible();
  await expectAccessible(ana, 'a card that one may not answer');
  await shot(ana, 'approvers-asker');

  await cleo.goto(`${server.url}/waiting`);
  await expect(cleo.getByRole('heading', { name: 'Em uma conversa que você não vê' })).toBeVisible();
  await expect(cleo.getByText('Delete the first one')).toHaveCount(0);
  await expectAccessible(cleo, 'what waits in a conversation that one does not see');
  await shot(cleo, 'approvers-waiting');
  await cleo.setViewportSize({ width: 390, height: 844 });
  await shot(cleo, 'approvers-waiting-phone');
  await cleo.getByRole('button', { name: /^Excluir/ }).click();
  await expect(chat.main.getByText('It is gone.')).toBeVisible();
  await expect(chat.main.getByText(/Cleo/)).toBeVisible();
  await server.end();
  model.stop();
});
