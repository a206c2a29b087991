import { expect, expectAccessible, test } from './fixtures';
import { Model } from './model';
import { ParlorServer, PASSWORD } from './server';

/** U-4: the form, logging in, logging out. */
test('a wrong password is refused, the right one logs in, and logging out works @both', async ({ page, world }) => {
  await page.goto(`${world.server.url}/chat`);
  await expect(page).toHaveURL(/\/login$/);
  await expectAccessible(page, 'the form');
  const field = page.getByLabel('Family password');
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('autocomplete', 'current-password');
  await field.fill('wrong');
  await field.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('That is not the password. Please try again.');
  await expectAccessible(page, 'the form with its trouble');
  await page.getByLabel('Family password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page).toHaveURL(/\/chat$/);
  await expect(page.locator('#composer')).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await page.goto(`${world.server.url}/chat`);
  await expect(page).toHaveURL(/\/login$/);
});

/** after several wrong passwords the form says when to try again. */
test('repeated guesses are delayed, and the form says how long', async ({ page }) => {
  const model = await Model.start();
  const server = new ParlorServer(model.url);
  await server.start();
  await page.goto(`${server.url}/login`);
  const alert = page.getByRole('alert');
  for (let guess = 0; guess < 12 && !/Please wait/.test((await alert.count()) > 0 ? await alert.innerText() : ''); guess += 1) {
    await page.locator('#password').fill(`guess ${guess}`);
    await page.locator('form button').click();
    await expect(alert).toBeVisible();
  }
  await expect(alert).toHaveText(/Please wait \d+ s/);
  await expectAccessible(page, 'the form that asks to wait');
  await server.end();
  model.stop();
});

/** The form needs nothing of the bundle. */
test('the login form works without the bundle', async ({ browser, world }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'pt-BR' });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${world.server.url}/login`);
  await expect(page.getByText('Senha da família')).toBeVisible();
  await page.locator('#password').fill(PASSWORD);
  expect(asked.filter((path) => !['/login', '/assets/style.css', '/assets/theme.js', '/assets/icon.svg'].includes(path))).toEqual([]);
  await page.locator('form button').click();
  await expect(page).toHaveURL(/\/chat$/);
  await context.close();
});
