import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Locator, Page } from '@playwright/test';

import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const sample = (name: string) => readFileSync(join(import.meta.dirname, '../../../crates/files/src/samples', name));

interface OneFile {
  name: string;
  bytes: Buffer;
  type: string;
}

/** Pastes or drops files, as a browser does. */
async function bring(how: 'paste' | 'drop', onto: Locator, files: readonly OneFile[]): Promise<void> {
  await onto.evaluate(
    (element, { kind, all }) => {
      const data = new DataTransfer();
      for (const { name, bytes, type } of all) data.items.add(new File([Uint8Array.from(bytes)], name, { type }));
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
      element.dispatchEvent(event);
    },
    { kind: how, all: files.map(({ name, bytes, type }) => ({ name, type, bytes: [...bytes] })) },
  );
}

const attached = (page: Page) => page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');

/** U-9, U-5, H-4: files come by button, paste and drop, and each can be taken out; the message shows them, and they can be saved. */
test('files are attached by button, paste and drop @both', async ({ chat, page }) => {
  await page.setInputFiles('input[type=file]', [
    { name: 'one.png', mimeType: 'image/png', buffer: PNG },
    { name: 'bill.pdf', mimeType: 'application/pdf', buffer: sample('letter.pdf') },
  ]);
  await bring('paste', chat.composer, [{ name: 'two.png', bytes: PNG, type: 'image/png' }]);
  // Anywhere on the page.
  await bring('drop', page.locator('body'), [
    { name: 'notes.md', bytes: Buffer.from('# Notes'), type: '' },
    { name: 'extra.csv', bytes: Buffer.from('a,b'), type: 'text/csv' },
  ]);
  await expect(attached(page)).toHaveText([/one\.png.*PNG/s, /bill\.pdf.*PDF · 2 kB/s, /two\.png/, /notes\.md.*MD · 7 B/s, /extra\.csv/]);
  await expectAccessible(page, 'with files');
  await page.getByRole('button', { name: 'Remove extra.csv' }).click();
  await expect(attached(page)).toHaveCount(4);
  await expect(chat.composer).toBeFocused();
  await chat.say('What is in these files', words('A bill.'));
  await expect(attached(page)).toHaveCount(0);
  const pictures = page.getByRole('img', { name: /^Picture in your message: / });
  await expect(pictures).toHaveCount(2);
  await expect(pictures.first()).toHaveAttribute('src', /^\/api\/images\//);
  await expect(pictures.first()).toHaveJSProperty('naturalWidth', 1);
  const files = page.getByRole('list', { name: 'Files in your message' }).getByRole('link');
  await expect(files).toHaveText([/bill\.pdf.*PDF · 2 pages · 2 kB/s, /notes\.md/]);
  const saving = page.waitForEvent('download');
  await files.first().click();
  expect((await saving).suggestedFilename()).toBe('bill.pdf');
  await expectAccessible(page, 'a message with files');
  // An edit keeps them, or leaves them out.
  await page.getByRole('button', { name: 'Edit message' }).first().click();
  await expect(page.getByRole('form', { name: 'Edit your message' }).getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Leave out the files' }).click();
  await expect(page.getByRole('form', { name: 'Edit your message' }).getByRole('listitem')).toHaveCount(0);
});

/** U-9, N-1: what cannot be attached says why beside its name, before anything is sent. */
test('a file that is not taken says why', async ({ chat, page }) => {
  await bring('drop', page.locator('body'), [
    { name: 'archive.zip', bytes: Buffer.from('PK\x03\x04\0\0'), type: 'application/zip' },
    { name: 'empty.txt', bytes: Buffer.from(''), type: 'text/plain' },
    { name: 'good.txt', bytes: Buffer.from('hello'), type: 'text/plain' },
  ]);
  await expect(attached(page)).toHaveText([/good\.txt/, /archive\.zip.*Only pictures/s, /empty\.txt.*is empty/s]);
  await expectAccessible(page, 'files that are not taken');
  await page.getByRole('button', { name: 'Remove archive.zip' }).click();
  await expect(attached(page)).toHaveCount(2);
  const many = Array.from({ length: 11 }, (_, at) => ({ name: `${at}.txt`, bytes: Buffer.from('x'), type: 'text/plain' }));
  await bring('drop', page.locator('body'), many);
  await expect(attached(page).filter({ hasText: 'too many files' })).toHaveCount(2);
  // Only the server sees that it needs a password.
  await page.reload();
  await expect(page.getByText(/To be attached again/)).toBeVisible();
  await page.setInputFiles('input[type=file]', { name: 'secret.pdf', mimeType: 'application/pdf', buffer: sample('locked.pdf') });
  await chat.say('Read it');
  await expect(page.getByRole('alert').filter({ hasText: '“secret.pdf” cannot be read: it needs a password' })).toBeVisible();
  await expect(chat.composer).toHaveValue('Read it');
  await expect(attached(page)).toHaveText([/secret\.pdf/]);
});

/** U-9, G-8: a file that reads like orders says so where it is shown. */
test('a file that reads like orders is marked', async ({ chat, page }) => {
  await page.setInputFiles('input[type=file]', { name: 'minutes.pdf', mimeType: 'application/pdf', buffer: sample('order.pdf') });
  await chat.say('Summarise it', words('A meeting.'));
  await expect(page.getByText('It holds text that reads like orders')).toBeVisible();
  await expectAccessible(page, 'a marked file');
});
