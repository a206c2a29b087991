import { expect, expectAccessible, test } from './fixtures';
import { Model, gate, words } from './model';
import { ParlorServer } from './server';
import { Chat } from './fixtures';

/** K-3: a reload begins a new chat, and offers the running conversation prominently. */
test('leaving during a stream loses nothing @both', async ({ chat, page }) => {
  const rest = gate();
  await chat.say('Tell a story slowly', [...words('Once upon a time '), { wait: rest.passed }, ...words('there was a parlor.')]);
  await expect(chat.answers).toHaveText(/Once upon a time/);
  await page.goto(`${chat.server.url}/chat`);
  await expect(page.getByRole('heading', { name: 'What can I do for you?' })).toBeVisible();
  await expect(chat.answers).toHaveCount(0);
  const offer = page.getByRole('alert').filter({ hasText: 'An answer is still being written' });
  await expect(offer).toContainText('Tell a story slowly');
  await expectAccessible(page, 'the offer');
  await offer.getByRole('button', { name: 'Open' }).click();
  await expect(chat.answers).toHaveText(/^\s*Parlor said\s*Once upon a time/);
  rest.open();
  await expect(chat.answers).toHaveText(/Once upon a time there was a parlor\./);
  await expect(chat.answers).toHaveCount(1);
});

/** K-3: the new conversation knows nothing of the old one. */
test('a message after coming back begins a new conversation', async ({ chat, page }) => {
  await chat.say('Remember the word walnut', words('I will.'));
  await expect(chat.answers).toHaveText(/I will/);
  await page.goto(`${chat.server.url}/chat`);
  await page.reload();
  await expect(page.getByRole('status').filter({ hasText: 'Your last conversation' })).toBeVisible();
  await chat.say('Which word was it', words('I do not know.'));
  await expect(chat.answers).toHaveText(/I do not know/);
  const asked = chat.model.requests.findLast((request) => request.said.includes('Which word was it'));
  expect(JSON.stringify(asked?.messages)).not.toContain('walnut');
});

/** H-5, FAULTS 1: the server is killed under an open page; the page says so, reconnects, and shows what was stored. */
test('the server is killed and comes back under an open page', async ({ page }) => {
  test.setTimeout(150_000);
  const model = await Model.start();
  const server = new ParlorServer(model.url);
  await server.start();
  try {
    const chat = new Chat(page, server, model);
    await chat.logIn();
    await chat.say('Never finish', [...words('Some words that are kept. '), { wait: new Promise(() => undefined) }]);
    await expect(chat.answers).toHaveText(/Some words that are kept/);
    // Text that was shown but not stored yet may be lost.
    await expect.poll(() => server.hasStored('kept. '), 'the last word is stored').toBe(true);
    await server.kill();
    await expect(page.locator('[data-connection=lost]')).toBeVisible();
    await expectAccessible(page, 'without a connection');
    await chat.composer.fill('You are back');
    await server.start();
    await expect(page.locator('[data-connection=lost]')).toBeHidden({ timeout: 45_000 });
    await expect(chat.main.getByText('The server went down while this was being written.')).toBeVisible();
    await expect(chat.answers).toHaveText(/Some words that are kept/);
    await expect(chat.answers).toHaveCount(1);
    await chat.composer.press('Enter');
    await expect(chat.answers.last()).toHaveText(/You said: You are back/);
  } finally {
    await server.end();
    model.stop();
  }
});

/** P-9: the server restarts under an open page; the prompt stays open, and its answer counts. */
test('the server restarts while a prompt waits', async ({ page }) => {
  test.setTimeout(150_000);
  const model = await Model.start();
  const server = new ParlorServer(model.url);
  await server.start();
  try {
    const chat = new Chat(page, server, model);
    await chat.logIn();
    const options = [{ label: 'Left', value: 'left' }, { label: 'Right', value: 'right' }];
    await chat.say('Ask before the storm', ({ results }) =>
      results.length === 0 ? [{ tool: 'ask_user', input: { type: 'select', question: 'Which way?', options } }] : words(`We go ${results.join(' ')}`),
    );
    await page.getByRole('button', { name: 'Keep waiting' }).click();
    await expect(page.getByRole('timer')).toBeHidden();
    await server.kill();
    await expect(page.locator('[data-connection=lost]')).toBeVisible();
    await server.start();
    await expect(page.locator('[data-connection=lost]')).toBeHidden({ timeout: 45_000 });
    await expect(page.getByRole('heading', { name: 'Which way?' })).toHaveCount(1);
    await page.getByRole('button', { name: /Right/ }).click();
    await expect(chat.answers.last()).toHaveText(/We go .*right/);
    await expect(chat.main.getByText('Answered: Right', { exact: true })).toBeVisible();
  } finally {
    await server.end();
    model.stop();
  }
});

/** H-5: a message that cannot be sent waits, and arrives once. */
test('a message without a connection is sent when there is one', async ({ chat, page }) => {
  await page.context().setOffline(true);
  await chat.say('Sent from a tunnel', words('It arrived.'));
  await expect(page.getByText('No connection; it will be sent')).toBeVisible();
  await page.context().setOffline(false);
  await expect(chat.answers).toHaveText(/It arrived/);
  await expect(page.locator('main').getByText('Sent from a tunnel')).toHaveCount(1);
});

/** People's messages are events too: every open page shows them. */
test('another page of the same conversation sees the same', async ({ chat, page, context }) => {
  await chat.say('Meet me elsewhere', words('Gladly.'));
  await expect(chat.answers).toHaveText(/Gladly/);
  const other = await context.newPage();
  await other.goto(`${chat.server.url}/chat`);
  await other.getByRole('navigation').getByRole('button', { name: 'Meet me elsewhere', exact: true }).click();
  await expect(other.locator('main').getByText('Gladly.')).toBeVisible();
  await chat.say('Can you hear this', words('On both pages.'));
  await expect(other.locator('main').getByText('On both pages.')).toBeVisible();
  await expect(other.locator('main').getByText('Can you hear this')).toHaveCount(1);
  await page.bringToFront();
});
