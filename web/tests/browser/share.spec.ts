import { type Page } from '@playwright/test';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { Model, words } from './model';
import { ParlorServer } from './server';

const SHOTS = process.env['PARLOR_SHOTS'];

/** For a look at the page, where somebody wants one. */
async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

async function actions(page: Page, title: string): Promise<void> {
  const show = page.getByRole('button', { name: 'Show conversations' });
  if (await show.isVisible()) await show.click();
  const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('listitem').filter({ hasText: title });
  await row.hover();
  await row.getByRole('button', { name: /^Actions/ }).click();
}

/** Y-2, U-4: a link is made, read without an account on a desktop and a phone, follows, and is taken back. */
test('a conversation is shared with a link and taken back', async ({ browser }) => {
  const model = await Model.start();
  const server = new ParlorServer(model.url, '[tenants.home]\nshare_links = "anyone"\n');
  await server.start();
  const page = await (await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 860 } })).newPage();
  const chat = new Chat(page, server, model);
  await chat.logIn();
  const text = '## Leek soup\n\n1. Cut **two leeks**.\n2. Boil them for 20 minutes.\n\n| what | how much |\n|---|---|\n| leeks | 2 |\n| water | 1 l |';
  await chat.say('A soup for tonight?', ({ results }) => (results.length > 0 ? words('With leeks.') : [{ tool: 'list_recipes', input: {} }]));
  await expect(chat.stop).toHaveCount(0);
  await chat.say('How do I cook it?', words(text));
  await expect(page.getByRole('heading', { name: 'Leek soup' })).toBeVisible();

  await actions(page, 'A soup for tonight?');
  await page.getByRole('menuitem', { name: 'Share with a link…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share with a link' });
  await expect(dialog).toBeVisible();
  await expectAccessible(page, 'the dialog for a new link');
  await shot(page, 'share-dialog');
  await expect(dialog.getByRole('radio', { name: 'Everyone here who is logged in' })).toBeChecked();
  await dialog.getByRole('radio', { name: /Anyone who has the link/ }).check();
  await dialog.getByRole('checkbox', { name: 'Also what is said from now on' }).check();
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  const field = dialog.getByLabel('The link', { exact: true });
  await expect(field).toBeFocused();
  const link = await field.inputValue();
  expect(link).toContain('/s/share_');
  await expectAccessible(page, 'the dialog with a link');
  await shot(page, 'share-made');
  await dialog.getByRole('button', { name: 'Close' }).click();

  for (const [name, locale, viewport, dark] of [
    ['desktop', 'en-US', { width: 1440, height: 900 }, false],
    ['phone', 'pt-BR', { width: 390, height: 844 }, true],
    ['small', 'en-US', { width: 320, height: 640 }, false],
  ] as const) {
    const other = await (await browser.newContext({ locale, viewport, colorScheme: dark ? 'dark' : 'light' })).newPage();
    const troubles: string[] = [];
    other.on('pageerror', (error) => troubles.push(error.message));
    await other.goto(link);
    await expect(other.getByRole('heading', { level: 1, name: 'A soup for tonight?' })).toBeVisible();
    await expect(other.getByRole('heading', { name: 'Leek soup' })).toBeVisible();
    await expect(other.getByRole('textbox')).toHaveCount(0);
    expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
    await expectAccessible(other, `what is shared, on a ${name}`);
    await shot(other, `shared-${name}`);
    expect(await other.context().cookies(), 'no cookie').toEqual([]);
    expect(troubles).toEqual([]);
    if (name === 'small') {
      await chat.say('And the salt?', words('A pinch of salt.'));
      await expect(other.getByText('A pinch of salt.')).toBeVisible();
      await actions(page, 'A soup for tonight?');
      await page.getByRole('menuitem', { name: 'Share with a link…' }).click();
      await expect(dialog.getByText(/opened 3 times/)).toBeVisible();
      await dialog.getByRole('button', { name: /^Take back/ }).click();
      await expect(other.getByText('This link does not work any more')).toBeVisible();
      await expect(other.getByText('A pinch of salt.')).toHaveCount(0);
      await expectAccessible(other, 'a link that was taken back');
      await shot(other, 'shared-gone');
      await other.reload();
      await expect(other.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
      await shot(other, 'shared-gone-page');
    }
    await other.context().close();
  }
  await server.end();
  model.stop();
});
