// @vitest-environment jsdom

import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import type { ConversationSummary } from '../net/api';
import type { UserPrompt } from '../protocol/generated';
import { getState, INITIAL, setState } from '../state/store';
import { recordRequests, refusal, type Sent } from '../testing/render';
import { Sidebar } from './Sidebar';
import WaitingPage from './WaitingPage';

const user = userEvent.setup({ delay: null });
const NOW = Date.now();

const prompt = (id: string, conversation: string, question: string) =>
  ({ type: 'userPrompt', promptType: 'confirm', messageId: id, conversation_id: conversation, question }) as UserPrompt;

const row = (id: string, title: string): ConversationSummary => ({ id, project: 'home', title, mode: 'act', created_at: NOW, updated_at: NOW, running: true, visibility: 'tenant' });

let open: { prompt: UserPrompt; status: string; origin: string; opened_at: number }[];

beforeEach(() => {
  window.history.replaceState(null, '', '/waiting');
  useLanguage.setState({ language: 'en' });
  const me = { role: 'user', tenant: 'home', name: 'x', default_project: 'home', projects: [{ id: 'home', name: 'Kitchen', on_reload: 'new', recipe_vault: false, message_chars: 100 }], limits: {}, locale: 'en' };
  setState({ ...INITIAL, page: 'waiting', me: me as never, list: { rows: [row('c1', 'Supper')], name: 'current', nextBefore: null, state: 'ready' } }, true);
  open = [
    { prompt: prompt('p2', 'c2', 'Newer?'), status: 'open', origin: 'mcp:mail', opened_at: NOW - 60_000 },
    { prompt: prompt('p1', 'c1', 'Older?'), status: 'open', origin: 'agent', opened_at: NOW - 3_600_000 },
  ];
});
afterEach(() => {
  vi.unstubAllGlobals();
  window.history.replaceState(null, '', '/chat');
});

function answering({ path, method }: Sent): Response {
  if (path.startsWith('/api/prompts?')) return Response.json({ prompts: open });
  if (method === 'POST') {
    open = open.filter((one) => !path.includes(one.prompt.messageId));
    return Response.json({});
  }
  if (path === '/api/prompts/p1') return Response.json({ closed: { messageId: 'p1', outcome: 'answered', response: 'yes', answered_by: 'browser', at: NOW } });
  if (path === '/api/conversations/c2') return Response.json({ ...row('c2', 'Mail of today'), messages: [], cursor: '0' });
  return refusal(404, 'not_found');
}

/** P-9, U-3: who asks, since when, where; the one that waits longest comes first. */
it('lists all prompts that wait', async () => {
  recordRequests(answering);
  render(<WaitingPage />);
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Waiting for you' }));
  expect(await screen.findByText('2 questions wait')).toBeDefined();
  const [first, second] = screen.getAllByRole('listitem');
  expect(first?.textContent).toContain('Supper');
  expect(first?.textContent).toContain('Kitchen · asked 1 hour ago');
  await waitFor(() => expect(second?.textContent).toContain('Mail of today'));
  expect(second?.textContent).toContain('Asked by the service “mail”');
});

it('is answered in place, and what was answered stays, folded', async () => {
  const heard = recordRequests(answering);
  render(<WaitingPage />);
  const card = (await screen.findByRole('heading', { name: 'Older?' })).closest('section')!;
  await user.click(within(card).getByRole('button', { name: 'Yes' }));
  expect(await screen.findByText('Answered: Yes')).toBeDefined();
  expect(screen.getByText('One question waits')).toBeDefined();
  expect(heard.filter(({ method }) => method === 'POST')).toMatchObject([{ path: '/api/prompts/p1/response', body: { response: 'yes' } }]);
});

it('leads to the conversation', async () => {
  recordRequests(answering);
  render(<WaitingPage />);
  await user.click(await screen.findByRole('button', { name: 'Open “Supper”' }));
  expect([getState().page, window.location.pathname]).toEqual(['chat', '/c/c1']);
});

it('says that nothing waits, or that it is not known', async () => {
  open = [];
  recordRequests(answering);
  const { unmount } = render(<WaitingPage />);
  expect(await screen.findByText('Nothing waits for you.')).toBeDefined();
  unmount();
  recordRequests(() => refusal(503, 'unavailable'));
  render(<WaitingPage />);
  expect((await screen.findByRole('alert')).textContent).toContain('busy');
  expect(screen.queryByText('Nothing waits for you.')).toBeNull();
});

it('is in the list of conversations, with the number', async () => {
  setState({ page: 'chat', waiting: open.map((one) => one.prompt) });
  window.history.replaceState(null, '', '/chat');
  render(<Sidebar chosen={() => undefined} />);
  await user.click(screen.getByRole('button', { name: 'Waiting for you 2 questions wait' }));
  expect([getState().page, window.location.pathname]).toEqual(['waiting', '/waiting']);
  act(() => setState({ waiting: [] }));
  expect(screen.getByRole('button', { name: 'Waiting for you' })).toBeDefined();
});
