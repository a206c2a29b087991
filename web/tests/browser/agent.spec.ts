import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { agentProgram } from './agent';
import { Chat, expect, expectAccessible, test as base } from './fixtures';
import { Model, type ModelRequest, type Step, words } from './model';
import { ADMIN_PASSWORD, ParlorServer, withAgent } from './server';

interface Desk {
  server: ParlorServer;
  model: Model;
  workspace: string;
}

/** A server whose second project is the real agent CLI, with the scripted model behind it. */
const test = base.extend<object, { desk: Desk }>({
  desk: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const directory = mkdtempSync(join(tmpdir(), 'parlor-desk-'));
      const [workspace, home] = ['workspace', 'home'].map((name) => join(directory, name)) as [string, string];
      mkdirSync(workspace);
      mkdirSync(home);
      const model = await Model.start();
      const server = new ParlorServer(model.url, withAgent(agentProgram(), model.url, workspace, home));
      await server.start();
      await use({ server, model, workspace });
      await server.end();
      model.stop();
      rmSync(directory, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

/** Plays the steps one after the other, once the person has sent this message. */
const stepping =
  (said: string, steps: Step[][]) =>
  ({ messages }: ModelRequest): Step[] => {
    const asked = messages.findLastIndex((message) => JSON.stringify(message).includes(said));
    const done = messages.slice(asked + 1).filter((message) => JSON.stringify(message).includes('"tool_result"')).length;
    return asked < 0 ? words('Fine.') : (steps[done] ?? words('Nothing is left to do.'));
  };

/**
 * B-1, P-7, S-5: an edit waits for approval with its diff, a plan is formatted text, admins see
 * the cost, and nothing names the agent.
 */
test('an agent CLI works behind the chat', async ({ page, desk }) => {
  const file = join(desk.workspace, 'page.html');
  writeFileSync(file, '<h1>Hello</h1>\n<p>world</p>\n');
  const chat = new Chat(page, desk.server, desk.model);
  await chat.logIn(ADMIN_PASSWORD);
  await page.getByRole('button', { name: /Project/ }).click();
  await page.getByRole('menuitemradio', { name: 'Desk' }).click();

  const edit = { file_path: file, old_string: '<h1>Hello</h1>', new_string: '<h1>Olá</h1>' };
  desk.model.on(/[^]*/, stepping('Greet in Portuguese', [[{ tool: 'Read', input: { file_path: file } }], [{ text: 'I change the heading.' }, { tool: 'Edit', input: edit }], words('It says Olá now.')]));
  await chat.say('Greet in Portuguese');
  const diff = page.getByRole('group', { name: 'What changes' });
  await expect(diff.getByRole('row').filter({ hasText: 'Hello' })).toHaveText(/−/);
  await expect(diff.getByRole('row').filter({ hasText: 'Olá' })).toHaveText(/\+/);
  // The lines around the change are shown too, with their numbers.
  await expect(diff.getByRole('row').filter({ hasText: 'world' })).toHaveText(/^22/);
  await expectAccessible(page, 'an edit of an agent CLI');
  expect(readFileSync(file, 'utf8')).toContain('Hello');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect(chat.answers.last()).toContainText('It says Olá now');
  expect(readFileSync(file, 'utf8')).toBe('<h1>Olá</h1>\n<p>world</p>\n');

  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  const plan = '# A footer for the page\n\n1. Write it\n2. **Check** it\n';
  desk.model.on(/[^]*/, stepping('Plan a footer', [[{ tool: 'ExitPlanMode', input: { plan } }], words('The footer is there.')]));
  await chat.say('Plan a footer');
  await expect(page.getByRole('heading', { name: 'A footer for the page' })).toBeVisible();
  await expect(page.locator('[data-card] strong', { hasText: 'Check' })).toBeVisible();
  await expectAccessible(page, 'a plan of an agent CLI');
  await page.getByRole('button', { name: 'Execute plan' }).click();
  await expect(chat.answers.last()).toContainText('The footer is there');

  const seen = (await page.locator('body').innerText()) + (await page.content());
  expect(seen).not.toMatch(/claude|anthropic|parlor-desk-/i);
  await page.getByRole('button', { name: 'Administration' }).click();
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('row', { name: /Desk/ })).toContainText('$');
});

/** B-1: background work ends, and the agent-initiated turn is shown on a page that only reads. */
test('an agent-initiated turn is shown as it streams', async ({ page, desk }) => {
  const chat = new Chat(page, desk.server, desk.model);
  await chat.logIn(ADMIN_PASSWORD);
  await page.getByRole('button', { name: /Project/ }).click();
  await page.getByRole('menuitemradio', { name: 'Desk' }).click();
  const command = 'until [ -e go ]; do sleep 0.1; done';
  const steps = stepping('Build it in the background', [[{ tool: 'Bash', input: { command, description: 'Build', run_in_background: true } }], words('It is being built.')]);
  desk.model.on(/[^]*/, (request) =>
    JSON.stringify(request.messages.at(-1)).includes('task-notification') ? words('The build is done.') : steps(request),
  );
  await chat.say('Build it in the background');
  await expect(chat.answers.last()).toContainText('It is being built');
  writeFileSync(join(desk.workspace, 'go'), '');
  await expect(chat.answers.last()).toContainText('The build is done');
  await expect(page.getByText('Parlor goes on by itself')).toBeVisible();
  await expectAccessible(page, 'a turn that nobody asked for');
  desk.model.on(/[^]*/, () => words('You are welcome.'));
  await chat.say('Thank you');
  await expect(chat.answers.last()).toContainText('You are welcome');
});
