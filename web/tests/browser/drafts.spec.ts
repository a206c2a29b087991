import { type Chat, expect, expectAccessible, test } from './fixtures';
import { type ModelRequest, type Script, type Step, words } from './model';
import { ADMIN_PASSWORD, PASSWORD } from './server';

const asking =
  (input: object): Script =>
  ({ results }: ModelRequest): Step[] =>
    results.length === 0 ? [{ tool: 'ask_user', input }] : words(`I heard ${results.join(' ')}`);

/** Ends the session on the server; the browser still has its cookie. */
async function endSession({ page, server }: Chat): Promise<void> {
  const cookies = await page.context().cookies();
  const header = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const ended = await fetch(`${server.url}/logout`, { method: 'POST', headers: { cookie: header }, redirect: 'manual' });
  expect(ended.status).toBe(303);
}

async function logInAgain({ page }: Chat, password = PASSWORD): Promise<void> {
  await page.locator('#password').fill(password);
  await page.locator('form button').click();
}

/** X-1, U-6: when a session ends, the page says so, and nothing that was typed is lost. */
test('a session that ends leads back to the conversation and the draft @both', async ({ chat, page }) => {
  await chat.say('Remember where I was', words('I will.'));
  await expect(chat.answers).toHaveText(/I will/);
  await chat.composer.fill('A long thought that must not be lost');
  // The conversation's stream ends with the session, and the page goes to the login form by itself.
  await endSession(chat);
  await expect(page).toHaveURL(/\/login\?/);
  await expect(page.getByText('Your session ended. Sign in to go on where you were.')).toBeVisible();
  await expectAccessible(page, 'the form after a session ended');
  await logInAgain(chat, 'wrong');
  await expect(page.getByRole('alert')).toHaveText('That is not the password. Please try again.');
  await logInAgain(chat);
  await expect(chat.answers).toHaveText(/I will/);
  await expect(chat.composer).toHaveValue('A long thought that must not be lost');
  await chat.composer.press('Enter');
  await expect(chat.answers.last()).toHaveText(/You said: A long thought/);
});

/** X-1, U-6: a message that the server did not accept becomes a draft again. */
test('a message that is sent after the session ended is not lost', async ({ chat, page }) => {
  await page.waitForLoadState('networkidle');
  await endSession(chat);
  await chat.composer.fill('Is anybody there?');
  await chat.composer.press('Enter');
  await expect(page.getByText('Your session ended.')).toBeVisible();
  await logInAgain(chat);
  await expect(chat.composer).toHaveValue('Is anybody there?');
});

/** X-1, U-6: a reload after the session ended leads to the login form with a notice. */
test('a reload after the session ended says so', async ({ chat, page }) => {
  // A draft is stored once the page knows whose it is.
  await page.waitForLoadState('networkidle');
  await chat.composer.fill('Not sent yet');
  await endSession(chat);
  await page.reload();
  await expect(page.getByText('Your session ended.')).toBeVisible();
  await logInAgain(chat);
  await expect(chat.composer).toHaveValue('Not sent yet');
});

/** U-6, P-9: an incomplete answer is restored after a login, and after a reload. */
test('a wizard continues where it was after a session ended', async ({ chat, page }) => {
  const steps = [
    { id: 'title', title: 'Title', type: 'input', question: 'What is it called?' },
    { id: 'kind', title: 'Kind', type: 'select', question: 'What kind?', options: [{ label: 'Main', value: 'main' }, { label: 'Dessert', value: 'dessert' }] },
  ];
  await chat.say('Add a recipe step by step', asking({ type: 'wizard', question: 'A recipe in steps', steps }));
  await page.getByRole('textbox', { name: 'What is it called?' }).fill('Bread');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: /Dessert/ }).click();
  await endSession(chat);
  await expect(page.getByText('Your session ended.')).toBeVisible();
  await logInAgain(chat);
  await expect(page.getByText('Step 2 of 2')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'A recipe in steps' })).toBeVisible();
  await expect(page.getByText('Step 2 of 2')).toBeVisible();
  await page.getByRole('button', { name: 'Send answers' }).click();
  await expect(chat.answers.last()).toHaveText(/I heard .*Bread.*dessert/);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('draft')))).toEqual([]);
});

/** U-6: a draft belongs to its conversation, survives a reload, and is removed when it was sent. */
test('drafts survive a reload, each in its conversation', async ({ chat, page }) => {
  await chat.say('The one with a draft', words('Go on.'));
  await expect(chat.send).toBeVisible();
  await chat.composer.fill('For this one');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(chat.composer).toHaveValue('');
  await chat.composer.fill('For a new one');
  await page.reload();
  await expect(chat.composer).toHaveValue('For a new one');
  await page.getByRole('navigation').getByRole('button', { name: 'The one with a draft', exact: true }).first().click();
  await expect(chat.composer).toHaveValue('For this one');
  await chat.composer.press('Enter');
  await expect(chat.answers.last()).toHaveText(/You said: For this one/);
  await expect(chat.composer).toHaveValue('');
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('draft')).length)).toBe(1);
});

/** H-5, U-6: a message that waits for a connection becomes a draft again after a reload. */
test('a message that waits for a connection survives a reload', async ({ chat, page }) => {
  await page.route('**/api/chat', (route) => route.abort());
  await chat.composer.fill('Sent into the void');
  await chat.composer.press('Enter');
  await expect(page.getByText('No connection; it will be sent')).toBeVisible();
  await page.unroute('**/api/chat');
  await page.route('**/api/chat', (route) => route.abort());
  await page.reload();
  await expect(chat.composer).toHaveValue('Sent into the void');
});

/** U-6, X-2: logging out removes all drafts. */
test('logging out removes the drafts', async ({ chat, page }) => {
  await chat.composer.fill('A secret of mine');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login$/);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('A secret of mine');
  await chat.logIn(ADMIN_PASSWORD);
  await expect(chat.composer).toHaveValue('');
});
