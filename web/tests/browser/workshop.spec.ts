import { Chat, expect, expectAccessible, test as base } from './fixtures';
import { Model, type ModelRequest, type Step, words } from './model';
import { ParlorServer, withWorkshop } from './server';

/** A server with a second project, whose tools are those of `tools.mjs`. */
const test = base.extend<{ workshop: Chat }, { house: { server: ParlorServer; model: Model } }>({
  house: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const model = await Model.start();
      const server = new ParlorServer(model.url, withWorkshop());
      await server.start();
      await use({ server, model });
      await server.end();
      model.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  workshop: async ({ page, house }, use) => {
    const chat = new Chat(page, house.server, house.model);
    await chat.logIn();
    await page.getByRole('button', { name: /Project/ }).click();
    await page.getByRole('menuitemradio', { name: 'Workshop' }).click();
    await use(chat);
    expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned), 'nothing ran').toBeUndefined();
  },
});

const using =
  (tool: string, input: object = {}) =>
  ({ results }: ModelRequest): Step[] =>
    results.length === 0 ? [{ tool, input }] : words(`I was told: ${results.join(' ')}`);

/** Without repeating the text: a marker in the agent's own text would be a prompt (P-10). */
const reading = ({ results }: ModelRequest): Step[] => (results.length === 0 ? [{ tool: 'read_note', input: {} }] : words('I have read it.'));

/** Several projects: the header shows the current one, and a conversation keeps its own. */
test('a project is chosen in the header @both', async ({ workshop: chat, page, isMobile }) => {
  const project = page.getByRole('button', { name: /Project/ });
  await expect(project).toContainText('Workshop');
  // The suggestions depend on the project.
  await expect(page.getByRole('button', { name: /What can you help me with/ })).toBeVisible();
  await expect(page.getByRole('button', { name: /recipe/i })).toHaveCount(0);
  await chat.say('Hammer and nails', words('Here you are.'));
  await expect(chat.answers).toHaveText(/Here you are/);
  await page.goto(`${chat.server.url}/chat`);
  await expect(project).toContainText('Recipes');
  await expect(page.getByRole('button', { name: /What recipes do I have/ })).toBeVisible();
  await project.click();
  await expectAccessible(page, 'the projects');
  await page.keyboard.press('Escape');
  if (isMobile) await page.getByRole('button', { name: 'Show conversations' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'Hammer and nails' }).first().click();
  await expect(chat.answers).toHaveText(/Here you are/);
  await expect(project).toContainText('Workshop');
});

/** P-7: a diff, line by line. */
test('a diff is shown before it is written @both', async ({ workshop: chat, page }) => {
  await chat.say('Write it down', using('write_file', { path: 'hello.txt' }));
  await expect(page.getByRole('heading', { name: /wants to use “write file”/ })).toHaveCount(1);
  const diff = page.getByRole('group', { name: 'What changes' });
  await expect(diff.getByRole('row')).toHaveText([/1.*−.*hallo/, /1.*\+.*hello/, /2.*2.*world/]);
  await expectAccessible(page, 'a diff');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect(chat.answers.last()).toContainText('hello.txt');
});

/** P-7, keyboard only: the affected files and their number; Tab and Enter are enough. */
test('files are listed before they are deleted, and the keyboard is enough to decide', async ({ workshop: chat, page }) => {
  await chat.say('Tidy up', using('delete_files'));
  await expect(page.getByText('50 items')).toBeVisible();
  await expect(page.getByText('and 48 more')).toBeVisible();
  await expectAccessible(page, 'a list');
  await expect(page.locator('[data-card]:focus')).toBeVisible();
  const refuse = page.getByRole('button', { name: 'Don’t allow' });
  await expect(async () => {
    await page.keyboard.press('Tab');
    await expect(refuse).toBeFocused({ timeout: 50 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(chat.main.getByText('Cancelled by the user')).toBeVisible();
  await expect(chat.answers).toHaveCount(1);
});

/** P-4: an expired approval is never consent; the card says so, and the agent is told. */
test('an approval that nobody answers expires', async ({ workshop: chat, page }) => {
  await chat.say('Be quick', using('impatient'));
  await expect(page.getByRole('timer')).toBeVisible();
  await expect(chat.main.getByText('No answer in time; nothing was done')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Allow once' })).toHaveCount(0);
  await expect(chat.answers.last()).toContainText('I was told');
  await expectAccessible(page, 'an approval that lapsed');
});

/** M-3: a question of a tool server is a form that names the server. */
test('a tool server asks with a form', async ({ workshop: chat, page }) => {
  await chat.say('Send it off', using('ask_address'));
  await expect(page.getByRole('heading', { name: 'Where should it go?' })).toHaveCount(1);
  await expectAccessible(page, 'a form');
  await page.getByRole('textbox', { name: 'Full name' }).fill('Ana');
  await page.getByRole('checkbox', { name: 'Ring the bell' }).check();
  await page.locator('[data-card]').getByRole('button', { name: 'Send', exact: true }).click();
  await expect(chat.answers.last()).toContainText('Ana');
});

/** FAULTS 26, P-10: a tool's result is shown as text, whatever it contains. */
test('a hostile result runs nothing and asks nothing', async ({ workshop: chat, page }) => {
  await chat.say('Read the note', reading);
  await expect(chat.answers.last()).toContainText('I have read it');
  await expect(chat.send).toBeVisible();
  await page.locator('[data-tool] button').first().click();
  await expect(page.getByLabel('Result', { exact: true })).toContainText('onerror');
  await expect(page.locator('main').locator('script, img')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Really?' })).toHaveCount(0);
});

/** M-2: if a tool server crashes, the card says so, and the next message works. */
test('a tool server that crashed comes back', async ({ workshop: chat, page }) => {
  await chat.say('Break it', using('crash'));
  await expect(chat.answers.last()).toContainText('I was told');
  await expect(page.locator('[data-tool=error]')).toBeVisible();
  await expect(chat.send).toBeVisible();
  await chat.say('Read it again', reading);
  await expect(chat.answers.last()).toContainText('I have read it');
  await expect(page.locator('[data-tool=completed]')).toBeVisible();
});

/** U-4: the cards of third-party tools, in the other language. */
test.describe('in Portuguese', () => {
  test.use({ locale: 'pt-BR', colorScheme: 'dark' });

  test('cards of other tools read well', async ({ page, house }) => {
    const chat = new Chat(page, house.server, house.model);
    await chat.logIn();
    await page.getByRole('button', { name: /Projeto/ }).click();
    await page.getByRole('menuitemradio', { name: 'Workshop' }).click();
    const open = page.locator('[data-card]:not([data-card=closed])');
    for (const [tool, input] of Object.entries({ write_file: { path: 'hello.txt' }, delete_files: {}, ask_address: {} })) {
      await chat.say(`Em português: ${tool}`, using(tool, input));
      await expect(open, tool).toHaveCount(1);
      await expectAccessible(page, tool);
      await chat.stopWaiting();
      await expect(chat.send).toBeVisible();
    }
  });
});

/** U-5, H-4: a picture in a tool's result is shown to the person, and never as text. */
test('a picture of a tool is shown @both', async ({ workshop: chat, page }) => {
  await chat.say('Take a picture', ({ results }) => (results.length === 0 ? [{ tool: 'take_picture', input: {} }] : words('There it is.')));
  await expect(chat.answers.last()).toHaveText(/There it is/);
  const picture = page.getByRole('img', { name: 'Picture from a tool: take_picture' });
  await expect(picture).toHaveCount(1);
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(96);
  await expect(page.locator('main')).not.toContainText('iVBOR');
  await expectAccessible(page, 'a picture of a tool');
});
