// @vitest-environment jsdom

import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import { INITIAL, setState } from '../state/store';
import { recordRequests, refusal } from '../testing/render';
import { YourData } from './YourData';

const user = userEvent.setup({ delay: null });

beforeEach(() => {
  useLanguage.setState({ language: 'en' });
  setState({ ...INITIAL, project: 'kitchen' }, true);
});
afterEach(() => vi.unstubAllGlobals());

const file = new File(['{}'], 'conversations.json', { type: 'application/json' });
const none = { branches: 0, attachments: 0, tools: 0, thoughts: 0, hidden: 0, cut: 0, messages: 0, conversations: 0, empty: 0, unreadable: 0 };

async function choose(): Promise<void> {
  const { container } = render(<YourData />);
  await user.upload(container.querySelector('input')!, file);
}

/** Y-5: what came in and what was left out is said by count. */
it('imports a file and reports', async () => {
  const report = { product: 'claude', imported: 12, there_before: 3, not_told: 0, left_out: { ...none, attachments: 2 } };
  const lines = [{ done: 10, of: 15 }, { report }].map((line) => `${JSON.stringify(line)}\n`).join('');
  const heard = recordRequests(({ path }) => (path.startsWith('/api/imports') ? new Response(lines) : Response.json({ conversations: [] })));
  await choose();
  expect(await screen.findByText('Conversations imported: 12')).toBeDefined();
  expect(screen.getByText('Imported before, left as they are: 3')).toBeDefined();
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['pictures and files: 2']);
  expect(heard[0]).toMatchObject({ path: '/api/imports?project=kitchen', method: 'POST' });
});

it('says what to do about another file, and about a connection that breaks', async () => {
  recordRequests(() => refusal(400, 'malformed'));
  await choose();
  expect((await screen.findByRole('alert')).textContent).toContain('Choose the ZIP file');
  recordRequests(() => new Response('{"done": 1, "of": 2}\n'));
  await user.upload(document.querySelector('input')!, file);
  expect(await screen.findByText(/connection/i)).toBeDefined();
});

it('offers everything as a file', () => {
  render(<YourData />);
  expect(screen.getByRole('link', { name: 'Export everything' }).getAttribute('href')).toBe('/api/export');
});
