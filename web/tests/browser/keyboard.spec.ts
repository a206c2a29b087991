import { expect, expectAccessible, test } from './fixtures';
import { gate, type ModelRequest, type Script, type Step, words } from './model';
import { ADMIN_PASSWORD } from './server';

/** Asks the person once, then repeats the answer. */
const asking =
  (input: object): Script =>
  ({ results }: ModelRequest): Step[] =>
    results.length === 0 ? [{ tool: 'ask_user', input }] : words(`I heard ${results.join(' ')}`);

const GUESTS = { question: 'How many guests?', options: ['One', 'Two', 'Three'].map((label) => ({ label, value: label.toLowerCase() })) };

/** Proposes a change of the first recipe that it finds. */
const changing = ({ results }: ModelRequest): Step[] => {
  if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
  const recipe_id = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
  return results.length === 1 ? [{ tool: 'update_recipe', input: { recipe_id, description: 'Better' } }] : words('That is over.');
};

/** P-2, U-4: Escape closes the innermost element. It neither answers a prompt nor stops a turn that waits. */
test('Escape answers nothing while a prompt is open', async ({ chat, page }) => {
  await chat.say('Change something, slowly', changing);
  const allow = page.getByRole('button', { name: 'Allow once' });
  await page.getByRole('button', { name: 'Keep waiting' }).click();
  await expect(page.getByRole('timer')).toBeHidden();

  await page.getByRole('button', { name: 'More' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'More' })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /say why/ }).click();
  await page.keyboard.type('Because');
  await page.keyboard.press('Escape');
  await expect(page.getByLabel(/Why not/)).toBeHidden();
  await expect(page.locator('[data-card]:focus')).toBeVisible();

  const fold = page.getByRole('button', { name: 'Arguments' });
  await fold.click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('textbox', { name: /Description/ }).fill('Mine');
  await page.keyboard.press('Escape');
  await expect(fold).toBeFocused();
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await expect(page.getByText('You changed what it will be told.')).toBeVisible();

  await chat.composer.fill('Half a thought');
  await page.keyboard.press('Escape');
  await expect(chat.composer).toHaveValue('Half a thought');
  await page.locator('[data-view]').focus();
  await page.keyboard.press('Escape');
  await expect(allow).toBeEnabled();
  await expect(chat.stop).toBeEnabled();
  await allow.click();
  await expect(chat.answers.last()).toHaveText(/That is over/);
  await expect(chat.main.getByText('Stopped')).toBeHidden();
});

/** H-6, P-2: the button in the place of "Send" asks for confirmation before it stops a turn that waits. */
test('stopping a turn that waits needs a confirmation @both', async ({ chat, page }) => {
  await chat.say('Change something, and I will stop it', changing);
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
  await chat.stop.click();
  const question = page.getByRole('group', { name: /Stop here\?/ });
  await expect(question.getByRole('button', { name: 'Don’t stop' })).toBeFocused();
  await expectAccessible(page, 'before it is stopped');
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeEnabled();
  await chat.stopWaiting();
  await expect(chat.main.getByText('Stopped')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeHidden();
});

/** U-1, U-4: text that is typed while a card has the focus is a message, even if it begins with a digit. */
test('a sentence that begins with a digit answers nothing', async ({ chat, page }) => {
  await chat.say('Ask how many guests', words(JSON.stringify(GUESTS)));
  await expect(page.locator('[data-card]:focus')).toBeVisible();
  await page.keyboard.type('3 friends are coming');
  await expect(chat.composer).toBeFocused();
  await expect(chat.composer).toHaveValue('3 friends are coming');
  await expect(page.getByRole('button', { name: /Three/ })).toBeEnabled();
  chat.model.on(/3 friends/, words('The more the merrier.'));
  await page.keyboard.press('Enter');
  await expect(chat.answers.last()).toHaveText(/The more the merrier/);
  await expect(chat.main.getByText(/^Answered/)).toBeHidden();
});

/** U-1, U-4: a digit selects an option of the focused card, and Enter submits it. */
test('digits do nothing unless the card has the focus', async ({ chat, page }) => {
  await chat.say('Ask again how many guests', words(JSON.stringify(GUESTS)));
  await expect(page.locator('[data-card]:focus')).toBeVisible();
  await page.getByRole('button', { name: 'Attach files' }).focus();
  await page.keyboard.press('3');
  await expect(page.getByRole('button', { name: 'Attach files' })).toBeFocused();
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.keyboard.press('2');
  await expect(page.getByRole('button', { name: /Two/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(chat.main.getByText('Answered: Two')).toBeVisible();
});

const QUESTIONS = [{ id: 'a', question: 'Which one?', options: [{ label: 'This', value: 'this' }, { label: 'That', value: 'that' }] }];
const STEPS = [{ id: 'a', title: 'Name', type: 'input', question: 'Which name?' }];

/** U-4: after an answer the focus is in the composer. */
test('the focus goes to the composer after every answer', async ({ chat, page }) => {
  const card = page.locator('[data-card]:not([data-card=closed])');
  const press = (name: string) => card.getByRole('button', { name, exact: true }).press('Enter');
  const answered = async (what: string) => {
    await expect(chat.send, what).toBeVisible();
    await expect(card, what).toHaveCount(0);
    await expect(chat.composer, what).toBeFocused();
  };
  await chat.say('Focus after a choice', asking({ type: 'select', ...GUESTS }));
  await expect(page.locator('[data-card]:focus')).toBeVisible();
  await page.keyboard.press('1');
  await page.keyboard.press('Enter');
  await answered('a choice');
  await chat.say('Focus after a yes', asking({ type: 'confirm', question: 'Shall we?' }));
  await press('Yes');
  await answered('a yes');
  await chat.say('Focus after words', asking({ type: 'input', question: 'What is it called?' }));
  await expect(page.getByRole('textbox', { name: 'What is it called?' })).toBeFocused();
  await page.keyboard.type('Bread');
  await page.keyboard.press('Enter');
  await answered('words');
  await chat.say('Focus after several', asking({ type: 'multi_question', question: 'A few things', questions: QUESTIONS }));
  await card.getByRole('radio', { name: 'That' }).press('Space');
  await press('Send answers');
  await answered('several questions');
  await chat.say('Focus after a wizard', asking({ type: 'wizard', question: 'Step by step', steps: STEPS }));
  await card.getByRole('textbox').fill('Rye');
  await card.getByRole('textbox').press('Enter');
  await answered('a wizard');
  await chat.say('Focus after a refusal', changing);
  await press('Don’t allow');
  await answered('a refusal');
  await chat.say('Focus after a plan', words(JSON.stringify({ goal: 'Dinner', steps: [{ step_number: 1, action: 'Cook', reason: 'Hunger' }] })));
  chat.model.on(/plan is approved/i, words('Done.'));
  await press('Execute plan');
  await answered('a plan');
});

/** U-4: "Send" and "Stop" are different buttons, and neither keeps the focus once it is gone. */
test('sending and stopping with the button leave the focus in the composer', async ({ chat, page }) => {
  chat.model.on(/Sent with the button/, [...words('On and on '), { wait: new Promise(() => undefined) }]);
  await chat.composer.fill('Sent with the button');
  await chat.send.press('Enter');
  await expect(chat.answers).toHaveText(/On and on/);
  await expect(chat.composer).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(chat.stop).toBeEnabled();
  await chat.stop.press('Enter');
  await expect(chat.main.getByText('Stopped')).toBeVisible();
  await expect(chat.composer).toBeFocused();
});

/** U-4: a prompt that closes while it has the focus leaves the focus in a useful place. */
test('the focus survives a prompt that was answered elsewhere', async ({ chat, page }) => {
  await chat.say('Answer it for me', asking({ type: 'input', question: 'What shall I write?' }));
  const field = page.getByRole('textbox', { name: 'What shall I write?' });
  await expect(field).toBeFocused();
  await page.keyboard.type('Not yet done');
  await chat.limit('What shall I write?', 1);
  await expect(chat.main.getByText('No answer in time; nothing was done')).toBeVisible();
  await expect(chat.composer).toBeFocused();
});

/** U-3, U-4: if Enter cannot send, the reason is shown and announced. */
test('Enter says why a message cannot be sent', async ({ chat, page }) => {
  const why = (text: string) => expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
  const rest = gate();
  await chat.say('Take a while', [...words('Let me see '), { wait: rest.passed }, ...words('done.')]);
  await expect(chat.answers).toHaveText(/Let me see/);
  await chat.composer.fill('Faster');
  await page.keyboard.press('Enter');
  await why('An answer is being written. Wait for it, or stop it.');
  await expectAccessible(page, 'a message that waits for an answer');
  rest.open();
  await expect(chat.send).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: 'An answer is being written' })).toBeHidden();
  await expect(chat.composer).toHaveValue('Faster');

  await chat.composer.fill('a'.repeat(10_001));
  await page.keyboard.press('Enter');
  await why('This message is too long. Please shorten it.');
  await chat.composer.fill('a'.repeat(10_001) + 'b');
  await expect(page.getByRole('alert').filter({ hasText: 'too long' })).toBeHidden();
  // It is marked as disabled, but can still be pressed.
  await chat.send.click({ force: true });
  await why('This message is too long. Please shorten it.');

  await chat.say('Ask before I write', asking({ type: 'confirm', question: 'May I?' }));
  await expect(page.getByRole('heading', { name: 'May I?' })).toBeVisible();
  await chat.composer.fill('Something else');
  await page.keyboard.press('Enter');
  await why('A question waits for your answer first.');
  await page.getByRole('alert').getByRole('button', { name: 'Show it' }).click();
  await expect(page.locator('[data-card]:focus')).toBeVisible();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect(chat.send).toBeVisible();
  await expect(chat.composer).toHaveValue('Something else');

  await page.context().setOffline(true);
  await page.keyboard.press('Enter');
  await expect(page.getByText('No connection; it will be sent')).toBeVisible();
  await chat.composer.fill('A second one');
  await page.keyboard.press('Enter');
  await why('Your last message has not gone out yet.');
  await expect(chat.composer).toHaveValue('A second one');
  await page.context().setOffline(false);
  await expect(chat.answers.last()).toHaveText(/You said: Something else/);
});

/** U-4: inner elements close before outer ones, and the focus returns. */
test('Escape closes one element at a time, the innermost first', async ({ chat, page }) => {
  await page.setViewportSize({ width: 900, height: 700 });
  await chat.say('Nest something', words('A nest.'));
  await expect(chat.answers).toHaveText(/A nest/);
  const show = page.getByRole('button', { name: 'Show conversations' });
  await show.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Conversations' });
  const row = drawer.getByRole('listitem').filter({ hasText: 'Nest something' }).first();
  const actions = row.getByRole('button', { name: /^Actions/ });
  await actions.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(actions).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(drawer.getByRole('textbox', { name: 'Title of the conversation' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeVisible();
  await expect(row.getByRole('button', { name: 'Nest something', exact: true })).toBeFocused();
  await drawer.getByRole('searchbox').fill('Nest');
  await page.keyboard.press('Escape');
  await expect(drawer.getByRole('searchbox')).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(show).toBeFocused();
});

/** U-4: after a conversation is deleted, the focus stays in the list. */
test('the list keeps the focus', async ({ chat, page }) => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  for (const name of ['Keep this one', 'Delete this one']) {
    await page.getByRole('button', { name: 'New conversation' }).click();
    await chat.say(`${name} in the list`, words('Fine.'));
    await expect(chat.send).toBeVisible();
    await expect(list.getByRole('button', { name: `${name} in the list`, exact: true })).toBeVisible();
  }
  await list.getByRole('button', { name: 'Keep this one in the list', exact: true }).click();
  await expect(chat.composer).toBeFocused();
  await list.getByRole('listitem').filter({ hasText: 'Delete this one' }).getByRole('button', { name: /^Actions/ }).press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(list.getByText('Delete this one in the list')).toBeHidden();
  await expect(list.getByRole('button', { name: 'Keep this one in the list', exact: true })).toBeFocused();
});

/** U-4: Escape closes the panel and the admin page; neither stops the turn behind them. */
test('Escape leaves the admin page and the panel', async ({ chat, page }) => {
  await page.getByRole('button', { name: 'Log out' }).click();
  await chat.logIn(ADMIN_PASSWORD);
  const rest = gate();
  await chat.say('Show me something first', ({ results }) => {
    if (results.length === 0) return [{ tool: 'list_recipes', input: {} }];
    const recipe_id = /"id":\s*"([^"]+)"/.exec(results[0] ?? '')?.[1];
    return results.length === 1 ? [{ tool: 'display_recipe', input: { recipe_id } }] : [...words('Here it is '), { wait: rest.passed }, ...words('and on it goes.')];
  });
  const panel = page.getByRole('complementary', { name: 'Recipe' });
  await panel.getByRole('checkbox').first().focus();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(chat.composer).toBeFocused();
  await page.getByRole('button', { name: 'Administration' }).press('Enter');
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('main').focus();
  await page.keyboard.press('Escape');
  await expect(chat.composer).toBeFocused();
  rest.open();
  await expect(chat.answers.last()).toHaveText(/and on it goes/);
});
