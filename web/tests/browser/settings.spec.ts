import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { words } from './model';
import { ParlorServer } from './server';

const SETTINGS = /^(Settings|Configurações)$/;

/** U-10, U-4: settings take effect at once and survive a reload. */
test('settings have a page @both', async ({ chat, page, isMobile }) => {
  await page.getByRole('button', { name: SETTINGS }).click();
  await expect(page).toHaveURL(/\/settings$/);
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeFocused();
  await expectAccessible(page, 'the settings');
  if (isMobile) {
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
  }
  const gap = () => page.locator('main').evaluate((main) => getComputedStyle(main.firstElementChild as HTMLElement).paddingTop);
  const comfortable = await gap();
  await page.getByRole('radio', { name: 'Compact' }).check();
  // Fingers need the room.
  if (isMobile) expect(await gap()).toBe(comfortable);
  else expect(Number.parseFloat(await gap())).toBeLessThan(Number.parseFloat(comfortable));
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.getByRole('radio', { name: 'makes a new line' }).check();
  await page.getByRole('radio', { name: 'Português' }).check();
  await expect(page.getByRole('heading', { name: 'Configurações' })).toBeVisible();
  await expectAccessible(page, 'the settings, compact and in Portuguese');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'quebra a linha' })).toBeChecked();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Voltar à conversa' }).click();
  await chat.composer.fill('one');
  await chat.composer.press('Enter');
  await chat.composer.pressSequentially('two');
  await expect(chat.composer).toHaveValue('one\ntwo');
  chat.model.on(/one\s+two/, words('Both lines arrived.'));
  await chat.composer.press('Control+Enter');
  await expect(chat.answers.last()).toHaveText(/Both lines arrived/);
});

/** U-10: everything is a few letters away, and the focus comes back. */
test('the palette finds conversations and commands', async ({ chat, page }) => {
  await chat.say('A walk in the Palette Gardens', words('Nice.'));
  await expect(chat.answers.last()).toHaveText(/Nice/);
  await expect(chat.send).toBeVisible();
  await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).click();
  await chat.composer.fill('Half a thought');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands and conversations' });
  await expect(palette.getByRole('combobox')).toBeFocused();
  await expectAccessible(page, 'the palette');
  await page.keyboard.type('palette gar');
  await expect(palette.getByRole('option', { name: 'A walk in the Palette Gardens', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(chat.composer).toBeFocused();
  await expect(chat.composer).toHaveValue('Half a thought');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('palette gar');
  await expect(palette.getByRole('option', { selected: true })).toHaveText('A walk in the Palette Gardens');
  await page.keyboard.press('Enter');
  await expect(chat.main.getByText('Nice.')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('plan');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Plan', exact: true })).toHaveAttribute('aria-pressed', 'true');
});

test('“?” lists the keys', async ({ page, chat }) => {
  await expect(chat.composer).toBeFocused();
  await page.keyboard.type('?');
  await expect(chat.composer).toHaveValue('?');
  await page.getByRole('button', { name: 'Commands' }).focus();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await expect(keys.getByText('Commands and conversations')).toBeVisible();
  await expectAccessible(page, 'the list of keys');
  await page.keyboard.press('Escape');
  await expect(keys).toBeHidden();
  await expect(page.getByRole('button', { name: 'Commands' })).toBeFocused();
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** U-10: a project looks as it is configured, readable in both themes. */
test('a project has a look of its own @both', async ({ page }) => {
  const logo = join(mkdtempSync(join(tmpdir(), 'parlor-logo-')), 'logo.png');
  writeFileSync(logo, Buffer.from(PNG, 'base64'));
  const config = `[tenants.home.projects.bakery]
name = "The Bakery"

[tenants.home.projects.bakery.look]
greeting = { en = "What are we baking?", pt = "O que vamos assar?" }
intro = "Bread, mostly."
logo = ${JSON.stringify(logo)}
accent = "#ffd400"
suggestions = [{ text = "Plan a loaf", hint = "With rye", mode = "plan" }, { text = "Say hello" }]
`;
  const server = new ParlorServer(null, config);
  await server.start();
  try {
    const chat = new Chat(page, server, undefined as never);
    await chat.logIn();
    await expect(page.getByRole('heading', { name: 'What are we baking?' })).toBeVisible();
    await expect(page.getByRole('button', { name: /Plan a loaf/ })).toBeVisible();
    await expect(page.getByText('Import a recipe')).toBeHidden();
    const img = chat.main.locator('img').first();
    expect(await img.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).toBe(1);
    const accent = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());
    expect(accent, 'the yellow is darkened until it can be read').not.toBe('#ffd400');
    await expectAccessible(page, 'a project with a look of its own');
    await page.getByRole('button', { name: /Say hello/ }).click();
    await expect(chat.main.getByText('Say hello')).toBeVisible();
  } finally {
    await server.end();
  }
});
