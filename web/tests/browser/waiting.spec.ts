import { expect, expectAccessible, test } from './fixtures';
import { type ModelRequest, type Step, words } from './model';

const asking =
  (question: string) =>
  ({ results }: ModelRequest): Step[] =>
    results.length === 0 ? [{ tool: 'ask_user', input: { type: 'confirm', question } }] : words(`I heard ${results.join(' ')}`);

/** Proposes a change of a recipe that others are not changed in. */
const describing = ({ results }: ModelRequest): Step[] => {
  if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
  const recipe_id = /"id":\s*"([^"]+)","title":\s*"Feijoada"/.exec(results[0] ?? '')?.[1];
  return results.length === 1 ? [{ tool: 'update_recipe', input: { recipe_id, description: 'On Saturdays' } }] : words('That is done.');
};

const WAITING = /^(Waiting for you|Espera por você)/;

/** P-9, U-3: everything that waits is on one page, and is answered there, whatever conversation is open. */
test('what waits is answered on one page @both', async ({ chat, page, isMobile }) => {
  const question = `May I light the oven ${isMobile}?`;
  await chat.say(`Ask me first ${isMobile}`, asking(question));
  await page.getByRole('button', { name: 'Keep waiting' }).click();
  await expect(page.getByRole('timer')).toBeHidden();
  if (isMobile) await page.getByRole('button', { name: 'Show conversations' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).click();
  await expect(chat.composer).toBeVisible();
  if (isMobile) await page.getByRole('button', { name: /Show conversations \(.*wait/ }).click();
  await page.getByRole('button', { name: WAITING }).click();
  await expect(page).toHaveURL(/\/waiting$/);
  await expect(page.getByRole('heading', { name: 'Waiting for you' })).toBeFocused();
  const row = page.getByRole('listitem').filter({ hasText: question });
  await expect(row).toContainText(`Ask me first ${isMobile}`);
  await expect(row).toContainText(/asked/);
  await expectAccessible(page, 'what waits');
  expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
  await row.getByRole('button', { name: 'Yes' }).click();
  await expect(row.getByText('Answered: Yes')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Waiting for you' })).toBeVisible();
  await expect(page.getByText(question)).toBeHidden();
  await page.goBack();
  await expect(chat.composer).toBeVisible();
});

test('a page of its own needs a session, and is where the login leads back to', async ({ chat, page, world }) => {
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.goto(`${world.server.url}/waiting`);
  await page.locator('#password').fill('family password');
  await page.locator('form button').click();
  await expect(page.getByRole('heading', { name: 'Waiting for you' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(chat.composer).toBeVisible();
  await expect(page).toHaveURL(/\/chat$/);
});

/** P-7: what stays is folded, and a value is edited where it stands. */
test('a preview is short, and is edited in place @both', async ({ chat, page, isMobile }) => {
  if (isMobile) await page.setViewportSize({ width: 320, height: 640 });
  await chat.say(`Describe the feijoada ${isMobile}`, describing);
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Parlor wants to change “Feijoada”' }) });
  await card.getByRole('button', { name: 'Keep waiting' }).click();
  const preview = card.getByRole('group', { name: /What changes/ });
  await expect(preview.getByRole('rowheader')).toHaveCount(1);
  await preview.getByRole('button', { name: /fields unchanged/ }).click();
  await expect(preview.getByRole('rowheader').first()).toContainText('Title');
  await preview.getByRole('button', { name: 'Only what changes' }).click();
  await preview.getByRole('button', { name: 'Edit “Description”' }).click();
  await preview.getByRole('textbox', { name: /Description/ }).fill('On Sundays');
  await expect(preview.getByRole('row', { name: /Description/ }).first()).toContainText('On Sundays');
  await expectAccessible(page, 'a preview that is edited');
  expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
  await card.getByRole('button', { name: 'Allow once' }).click();
  await expect(chat.answers.last()).toHaveText(/That is done/);
  await expect(chat.main.getByText('Allowed with changes')).toBeVisible();
});

/** P-4: a lapsed approval says so; the person tells the agent that it may try again, in a message that can be read. */
test('a lapsed approval is asked for again', async ({ chat, page }) => {
  let asked = 0;
  chat.model.on(/Please try again: change a recipe/, ({ results }) => {
    const recipe_id = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
    if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
    asked += 1;
    return results.length === 1 ? [{ tool: 'update_recipe', input: { recipe_id, servings: 7 } }] : words('Now it is done.');
  });
  await chat.say('Change it while I am away', describing);
  await expect(page.getByRole('timer')).toBeVisible();
  const { prompts } = (await (await page.request.get(`${chat.server.url}/api/prompts?status=open`)).json()) as { prompts: { prompt: { messageId: string; toolCall?: object } }[] };
  const id = prompts.find(({ prompt }) => prompt.toolCall)?.prompt.messageId;
  await page.request.post(`${chat.server.url}/api/prompts/${id}/extend`, { headers: { origin: chat.server.url }, data: { seconds: 1 } });
  await expect(chat.main.getByText('No answer in time; nothing was done')).toBeVisible();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect(chat.main.getByText('I did not answer in time. Please try again: change a recipe.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect(chat.answers.last()).toHaveText(/Now it is done/);
  expect(asked).toBeGreaterThan(0);
});
