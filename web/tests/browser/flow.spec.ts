import { join } from 'node:path';

import { Chat, expect, expectAccessible, test as base } from './fixtures';
import { Model, type ModelRequest, type Step, words } from './model';
import { ParlorServer } from './server';

const OFFICE = join(import.meta.dirname, 'office.mjs');
const PROJECT = 'tenants.home.projects.recipes';
const CONFIG = `[${PROJECT}.flow]
policy = "ask"
[${PROJECT}.mcp.office]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(OFFICE)}]
trust_annotations = true
[${PROJECT}.mcp.office.tools.send_money]
content = "own"
`;

const test = base.extend<{ desk: Chat }, { house: { server: ParlorServer; model: Model } }>({
  house: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const model = await Model.start();
      const server = new ParlorServer(model.url, CONFIG);
      await server.start();
      await use({ server, model });
      await server.end();
      model.stop();
    },
    { scope: 'worker' },
  ],
  desk: async ({ page, house }, use) => {
    const chat = new Chat(page, house.server, house.model);
    await chat.logIn();
    await use(chat);
  },
});

const mail: Step = { tool: 'office_read_mail', input: { subject: 'Invoice 7' } };
const pay: Step = { tool: 'office_send_money', input: { recipient: 'US133000000121212121212', amount: 98.7 } };

/** Reads mail, then pays. */
const obeys = ({ results }: ModelRequest): Step[] => [[mail], [pay]][results.length] ?? words('Done.');

/** F-2: the card says what was read, and where each value stands; a yes is for this call alone. */
test('an approval says what others wrote before it @both', async ({ desk: chat, page }) => {
  await chat.say('Pay invoice 7, it is 98.7', obeys);
  const card = page.getByRole('region', { name: /office send money/i });
  const read = card.getByRole('region', { name: 'What others wrote' });
  await expect(read).toContainText('Before this the assistant read what others wrote:');
  await expect(read).toContainText('Invoice 7');
  await expect(read.getByText('US133000000121212121212').first()).toBeVisible();
  await expect(read.locator('mark')).toHaveText('US133000000121212121212');
  await expect(read).toContainText('in your own words');
  await expectAccessible(page, 'an approval with words of others before it');
  await card.getByRole('button', { name: 'More' }).click();
  await expect(page.getByRole('menuitem', { name: /Always allow/ })).toBeHidden();
  await expect(page.getByRole('menuitem', { name: /say why/ })).toBeVisible();
  await page.keyboard.press('Escape');
  // The mail reads like orders, so the button names the act.
  await expect(read).toContainText('reads like orders');
  await card.getByRole('button', { name: 'Office send money' }).click();
  await expect(chat.answers.last()).toHaveText(/Done\./);
  await expect(page.getByText('Before this it read what others wrote:')).toBeVisible();
  const closed = chat.main.locator('[data-card=closed]').last();
  await closed.getByRole('button', { name: 'Details' }).click();
  await expect(closed.getByRole('region', { name: 'What others wrote' })).toContainText('Invoice 7');
});

/** F-1: the person goes on without what was read; the call is not made, and the next one does not ask. */
test('a person goes on without what was read @both', async ({ desk: chat, page }) => {
  await chat.say('Pay invoice 7', obeys);
  const card = page.getByRole('region', { name: /office send money/i });
  chat.model.on(/Go on without/, ({ results }) => (results.length === 0 ? [pay] : words('Paid.')));
  await card.getByRole('button', { name: 'Go on without what was read' }).click();
  await expect(page.getByText('From here on without what was read before.')).toBeVisible();
  await expect(chat.answers.last()).toHaveText(/Paid\./);
  await expect(page.getByRole('button', { name: /^(Allow once|Office send money)$/ })).toBeHidden();
  await page.goto(page.url());
  await expect(page.getByText('From here on without what was read before.')).toBeVisible();
});
