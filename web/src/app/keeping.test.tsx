// @vitest-environment jsdom

import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import type { ConversationSummary } from '../net/api';
import { searchFor, useSearch } from '../state/search';
import { getState, INITIAL, setState } from '../state/store';
import { recordRequests, type Sent } from '../testing/render';
import { quoted } from '../thread/quote';
import { Marked } from '../ui/Marked';
import { showToast, useToast } from '../ui/toast';
import { Sidebar } from './Sidebar';
import { ToastBar } from './ToastBar';

const user = userEvent.setup({ delay: null });
const row = (id: string, title: string, more: Partial<ConversationSummary> = {}): ConversationSummary => ({
  id, project: 'home', title, mode: 'act', created_at: 1, updated_at: 1, running: false, visibility: 'tenant', ...more,
});

function begin(undo: number, rows: ConversationSummary[]): void {
  const me = { role: 'user', tenant: 't', name: 'x', default_project: 'home', projects: [], limits: { undo_deletion_seconds: undo }, locale: 'en' };
  setState({ ...INITIAL, me: me as never, list: { name: 'current', rows, nextBefore: null, state: 'ready' } }, true);
}

beforeEach(() => {
  useLanguage.setState({ language: 'en' });
  HTMLElement.prototype.showPopover = function () {};
});
afterEach(() => {
  vi.unstubAllGlobals();
  showToast(null);
  void searchFor('');
});

async function choose(title: string, action: string): Promise<void> {
  fireEvent.click(screen.getByRole('button', { name: `Actions for “${title}”` }));
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }));
}

const asked = (heard: Sent[]) => heard.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [method, path, body]);

/** U-8 */
describe('the list', () => {
  it('has pinned ones first, and asks the server for each change', async () => {
    const heard = recordRequests(() => Response.json({ conversations: [] }));
    begin(60, [row('c1', 'Soup', { pinned: true }), row('c2', 'Cake')]);
    render(<Sidebar chosen={() => undefined} />);
    expect(screen.getAllByRole('heading', { level: 2 }).map((one) => one.textContent)).toEqual(['Pinned', 'Older']);
    await choose('Soup', 'Unpin');
    expect(asked(heard)).toEqual([['PATCH', '/api/conversations/c1', { pinned: false }]]);
  });

  it('undoes a deletion from the toast', async () => {
    const heard = recordRequests(({ path }) => (path.startsWith('/api/prompts') ? Response.json({ prompts: [] }) : Response.json({ conversations: [] })));
    begin(60, [row('c1', 'Soup'), row('c2', 'Cake')]);
    render(<><Sidebar chosen={() => undefined} /><ToastBar /></>);
    await choose('Soup', 'Delete');
    expect(await screen.findByText('The conversation was deleted.')).toBeDefined();
    expect(getState().list.rows.map(({ id }) => id)).toEqual(['c2']);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(asked(heard)).toEqual([['DELETE', '/api/conversations/c1', null], ['POST', '/api/conversations/c1/restore', null]]));
    expect(useToast.getState().toast).toBeNull();
  });

  it('asks first where nothing can be undone', async () => {
    const heard = recordRequests(() => Response.json({ conversations: [] }));
    begin(0, [row('c1', 'Soup')]);
    render(<Sidebar chosen={() => undefined} />);
    expect(screen.queryByRole('button', { name: 'Deleted' })).toBeNull();
    await choose('Soup', 'Delete');
    expect(asked(heard)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(asked(heard)).toEqual([['DELETE', '/api/conversations/c1?for_good=true', null]]));
  });

  it('shows what was found, a page at a time, and only of the newest search', async () => {
    const hit = (id: string) => ({ conversation_id: 'c9', message_id: id, title: 'Lunch', archived: true, role: 'user', at: 1, excerpt: { text: 'cold soup', marks: [[5, 9]] } });
    recordRequests(({ path }) =>
      Response.json(path.includes('before=') ? { titles: [], messages: [hit('m2')] } : { titles: [], messages: [hit('m1')], next_before: '1.m1' }));
    begin(60, []);
    render(<Sidebar chosen={() => undefined} />);
    await user.type(screen.getByRole('searchbox'), 'soup');
    expect((await screen.findByText('soup')).tagName).toBe('MARK');
    expect(screen.getByText('Archived')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Show more' }));
    await waitFor(() => expect(useSearch.getState().messages.map(({ message_id }) => message_id)).toEqual(['m1', 'm2']));
    await user.keyboard('{Escape}');
    await user.clear(screen.getByRole('searchbox'));
    await waitFor(() => expect(useSearch.getState().state).toBe('idle'));
  });
});

it('marks nothing outside of a text, and nothing twice', () => {
  const { container } = render(<p><Marked text="🥣 soup" marks={[[3, 7], [5, 6], [2, 900]]} /></p>);
  expect(container.innerHTML).toBe('<p>🥣 <mark>soup</mark></p>');
});

it('quotes every line', () => {
  expect(quoted('\n a <b>\r\n\n\n\nc  ')).toBe('> a <b>\n>\n> c');
});
