import { Chat, expect, expectAccessible, test } from './fixtures';
import { type Script, words } from './model';
import { ADMIN_PASSWORD, API_KEY } from './server';

/** The directory for screenshots, if they are wanted: `PARLOR_LAYOUTS=directory`. */
const PICTURES = process.env['PARLOR_LAYOUTS'];

const SIZES = [
  { width: 1366, height: 650 },
  { width: 1280, height: 640 },
  { width: 1280, height: 800 },
  { width: 390, height: 600 },
  { width: 320, height: 640 },
];

const OPTIONS = ['Soup', 'Salad', 'Bread', 'Cookies'].map((label) => ({ label, value: label.toLowerCase(), description: `${label}, made at home` }));

/** A prompt that is taller than any of the screens. */
const TALL: Script = ({ results }) => {
  const questions = [1, 2, 3, 4].map((at) => ({ id: `q${at}`, question: `Course number ${at}?`, options: OPTIONS }));
  return results.length === 0 ? [{ tool: 'ask_user', input: { type: 'multi_question', question: 'A dinner of four courses', questions } }] : words('Well chosen.');
};

/** Sends a few messages, so that there is something to scroll. */
async function talk(chat: Chat): Promise<void> {
  for (const at of [1, 2, 3]) {
    await chat.say(`Tell me tale ${at}`, words(Array.from({ length: 12 }, (_, line) => `Line ${line} of tale ${at}.`).join('\n\n')));
    await expect(chat.main.getByText(`Line 11 of tale ${at}.`)).toBeVisible();
  }
}

/** What must be in view whatever the thread shows: all of the header, all of the composer. */
async function expectInReach(chat: Chat, what: string): Promise<void> {
  const { page } = chat;
  const { width, height } = page.viewportSize()!;
  for (const part of [page.getByRole('banner'), page.getByRole('button', { name: 'Log out' }), page.locator('form:has(#composer)')]) {
    const box = (await part.boundingBox())!;
    expect(box.x, `${what}: left`).toBeGreaterThanOrEqual(0);
    expect(box.y, `${what}: top`).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width, `${what}: right`).toBeLessThanOrEqual(width);
    expect(box.y + box.height, `${what}: bottom`).toBeLessThanOrEqual(height);
  }
  const moved = await page.evaluate(() => [...document.querySelectorAll('html, body, body *')].filter((one) => one.scrollTop > 0 && !one.matches('[data-view], nav *')).map((one) => one.outerHTML.slice(0, 80)));
  expect(moved, `${what}: only the thread scrolls`).toEqual([]);
}

for (const viewport of SIZES) {
  const name = `${viewport.width}×${viewport.height}`;

  /** U-4, WCAG 1.4.10: a prompt that is taller than the view pushes nothing out of it. */
  test(`a tall prompt leaves the header where it is: ${name}`, async ({ chat, page }) => {
    await page.setViewportSize(viewport);
    await talk(chat);
    const title = page.getByRole('heading', { name: 'A dinner of four courses' });
    await chat.say(`Four courses on ${name}`, TALL);
    await expect(title).toBeInViewport();
    await expectInReach(chat, 'when it opens');
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/prompt-${name}.png` });
    // The title is in view first; scrolling to the buttons moves the thread alone.
    const send = page.getByRole('button', { name: 'Send answers' });
    await send.scrollIntoViewIfNeeded();
    await expect(send).toBeInViewport({ ratio: 1 });
    await expectInReach(chat, 'at its buttons');
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/buttons-${name}.png` });
    await page.locator('[data-view]').evaluate((view) => view.scrollTo({ top: 0 }));
    await page.getByRole('button', { name: 'Show it' }).click();
    await expect(title).toBeInViewport();
    await expectInReach(chat, 'when it is shown again');
    // The address opens the conversation again, with its messages.
    await page.reload();
    await expect(title).toBeInViewport();
    await expectInReach(chat, 'after a reload');
    await page.getByRole('button', { name: 'Don’t answer' }).click();
    await expect(chat.answers.last()).toHaveText(/Well chosen/);
    await expectInReach(chat, 'after the answer');
  });

  test(`the empty page is scrolled to its top: ${name}`, async ({ page, world }) => {
    await page.setViewportSize(viewport);
    const chat = new Chat(page, world.server, world.model);
    await chat.logIn(ADMIN_PASSWORD);
    await expect(page.getByRole('button', { name: 'What recipes do I have?' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'What can I do for you?' })).toBeInViewport();
    expect(await page.locator('[data-view]').evaluate((view) => view.scrollTop)).toBe(0);
    await expectInReach(chat, 'with the button of administrators');
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/empty-${name}.png` });
    await expectAccessible(page, name);
  });
}

/** U-2: what the reader unfolds stays in view. */
test('unfolding an older card keeps it in view', async ({ chat, page }) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  await chat.say('List before the long one', ({ results }) => (results.length === 0 ? [{ tool: 'list_recipes', input: {} }] : words(Array.from({ length: 14 }, (_, at) => `Line ${at}.`).join('\n\n'))));
  await expect(chat.main.getByText('Line 13.')).toBeInViewport();
  const found = page.getByRole('button', { name: /recipes found/ });
  const view = page.locator('[data-view]');
  await found.scrollIntoViewIfNeeded();
  // At the end, or close enough to count as the end.
  await view.evaluate((element) => element.scrollTo({ top: element.scrollHeight - element.clientHeight - 40 }));
  await found.evaluate((button: HTMLElement) => button.click());
  await expect(page.getByLabel('Result', { exact: true })).toBeVisible();
  const top = await view.evaluate((element) => element.scrollTop);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await view.evaluate((element) => element.scrollTop), 'nothing jumped').toBe(top);
  await expect(page.getByRole('button', { name: 'To the newest message' })).toBeVisible();
  // Once it is folded again, the end is in view and is followed as before.
  await found.evaluate((button: HTMLElement) => button.click());
  await expect(page.getByRole('button', { name: 'To the newest message' })).toBeHidden();
});

/**
 * U-9: a file that is dropped beside the composer is accepted, or refused with a reason; it never
 * replaces the page.
 */
test('a file can be dropped anywhere', async ({ chat, page }) => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const drop = (selector: string, type: string) =>
    page.locator(selector).first().evaluate(
      (element, [data, mime]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(data!), (sign) => sign.charCodeAt(0))], 'dropped', { type: mime! }));
        return ['dragover', 'drop'].map((name) => !element.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true })));
      },
      [png, type],
    );
  await chat.composer.fill('A picture of this');
  expect(await drop('header', 'application/pdf'), 'the browser does not open it').toEqual([true, true]);
  const attached = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  await expect(attached).toHaveCount(1);
  expect(await drop('[data-view]', 'image/png')).toEqual([true, true]);
  await expect(attached).toHaveCount(2);
  await expect(chat.composer).toHaveValue('A picture of this');
  // Text that is dragged into a field is handled by the browser; dropped elsewhere, it does
  // nothing.
  const text = (selector: string) =>
    page.locator(selector).first().evaluate((element) => {
      const transfer = new DataTransfer();
      transfer.setData('text/uri-list', 'https://example.org');
      return !element.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
  expect([await text('#composer'), await text('header')]).toEqual([false, true]);
});

/** U-3: an unknown address is a page that leads back. */
test('an unknown address is a page', async ({ chat, page }) => {
  await page.goto(`${chat.server.url}/nowhere`);
  await expect(page.getByRole('heading', { name: 'Nothing here' })).toBeVisible();
  await expectAccessible(page, 'nothing here');
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/missing.png` });
  await page.getByRole('link', { name: 'To the chat' }).click();
  await expect(chat.composer).toBeVisible();
});

/** U-6: reload, Back, a link from elsewhere, and a link to a deleted conversation. */
test('a conversation has an address', async ({ chat, page, context }) => {
  await expect(page).toHaveURL(/\/chat$/);
  await chat.say('First of two walnuts', words('One walnut.'));
  await expect(chat.answers).toHaveText(/One walnut/);
  await expect(page).toHaveURL(/\/c\/[\w-]+$/);
  const first = page.url();
  await page.reload();
  await expect(chat.answers).toHaveText(/One walnut/);
  await expect(page).toHaveTitle(/^First of two walnuts/);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(page).toHaveURL(/\/chat$/);
  await chat.say('Second of two walnuts', words('Two walnuts.'));
  await expect(chat.answers).toHaveText(/Two walnuts/);
  await expect(page).toHaveURL(/\/c\/[\w-]+$/);
  const second = page.url();
  expect(second).not.toBe(first);
  await page.goBack();
  await expect(page).toHaveURL(first);
  await expect(chat.answers).toHaveText(/One walnut/);
  await page.goForward();
  await expect(page).toHaveURL(second);
  await expect(chat.answers).toHaveText(/Two walnuts/);
  const other = await context.newPage();
  await other.goto(first);
  await expect(other.locator('main').getByText('One walnut.')).toBeVisible();
  const headers = { 'X-API-Key': API_KEY };
  await page.request.delete(`${chat.server.url}/api/conversations/${first.split('/').at(-1)}`, { headers });
  await other.reload();
  await expect(other.getByText('This conversation is no longer there.')).toBeVisible();
  await expectAccessible(other, 'a conversation that is gone');
  await other.locator('main').getByRole('button', { name: 'New conversation' }).click();
  await expect(other).toHaveURL(/\/chat$/);
  await expect(other.getByRole('heading', { name: 'What can I do for you?' })).toBeVisible();
});
