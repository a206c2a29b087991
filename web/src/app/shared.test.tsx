// @vitest-environment jsdom

import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import type { Me } from '../net/api';
import type { SharedView } from '../net/shared';
import type { Message } from '../protocol/generated';
import { sharedConversation, sharedToken } from '../state/shared';
import { INITIAL, setState } from '../state/store';
import { flushPromises, recordRequests, refusal } from '../testing/render';
import ShareDialog from './ShareDialog';
import SharedPage from './SharedPage';

const user = userEvent.setup({ delay: null });

/** The last stream that a page opened. */
class Notices extends EventTarget {
  static last: Notices | null = null;
  closed = false;

  constructor(readonly url: string) {
    super();
    Notices.last = this;
  }

  close() {
    this.closed = true;
  }
}

const message = (id: string, role: Message['role'], content: string, more: Partial<Message> = {}): Message => ({
  id,
  conversation_id: 'link',
  turn_id: 'turn',
  role,
  message_type: 'text',
  content,
  metadata: {},
  created_at: 1,
  ...more,
});

const view = (messages: Message[], more: Partial<SharedView> = {}): SharedView => ({
  project: 'Kitchen',
  title: 'Soup',
  shared_at: 1_700_000_000_000,
  follows: false,
  running: false,
  cursor: '7',
  messages,
  ...more,
});

const me = (share_links: Me['share_links']) => ({ share_links }) as Me;

beforeEach(() => {
  useLanguage.setState({ language: 'en' });
  setState({ ...INITIAL }, true);
  Notices.last = null;
  vi.stubGlobal('EventSource', Notices);
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  };
});
afterEach(() => vi.unstubAllGlobals());

it('finds the token of a link in its address', () => {
  expect(sharedToken('/s/share_aB-c')).toBe('share_aB-c');
  expect([sharedToken('/s/'), sharedToken('/chat'), sharedToken('/s/a/b')]).toEqual([null, null, null]);
});

/** Y-2: a tool is a line of its own, and nothing runs unless the link says so. */
it('makes a conversation of what a link shows', () => {
  const data = { name: 'list_recipes', call_id: 'call', output: null, is_error: false };
  const result = message('b', 'tool', '', { message_type: 'tool_result', data });
  const { items, turn } = sharedConversation(view([message('a', 'user', 'Hi'), result]));
  expect(items.map((item) => item.kind)).toEqual(['message', 'tool']);
  expect(turn).toBeNull();
});

/** Y-2, U-4: what was said, with pictures from the link; a question has no answer to click, and nothing is written. */
it('shows what was shared, and offers nothing to do', async () => {
  const picture = { image: { id: 'picture', media_type: 'image/png' } };
  const options = [{ label: 'Soup', value: 'soup' }];
  const asked = message('c', 'assistant', 'What?', { message_type: 'question', data: { question: 'What?', options }, options });
  const heard = recordRequests(() => Response.json(view([message('a', 'user', 'Look', { metadata: picture }), message('b', 'assistant', 'A leek.'), asked])));
  await act(async () => render(<SharedPage token="share_x" />));
  expect(await screen.findByRole('heading', { level: 1, name: 'Soup' })).toBeDefined();
  expect(await screen.findByText('A leek.')).toBeDefined();
  expect(document.querySelector('img')?.getAttribute('src')).toBe('/api/shared/share_x/images/picture');
  await act(() => import('../cards/prompt_cards'));
  const option = await screen.findByRole('button', { name: /Soup/ });
  expect(option.hasAttribute('disabled') || option.getAttribute('aria-disabled') === 'true').toBe(true);
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByText('Answered')).toBeNull();
  expect(heard.map(({ path }) => path)).toEqual(['/api/shared/share_x']);
  expect(Notices.last, 'a snapshot is not followed').toBeNull();
});

/** Y-2: a link that follows is read again when there is more, which does not count; at its end nothing stays on the page. */
it('follows, and forgets what it showed when the link ends', async () => {
  const answers = [
    Response.json(view([message('a', 'user', 'First')], { follows: true })),
    Response.json(view([message('a', 'user', 'First'), message('b', 'user', 'Second')], { follows: true })),
    refusal(404, 'not_found'),
  ];
  const heard = recordRequests(() => answers.shift()!);
  await act(async () => render(<SharedPage token="share_x" />));
  await screen.findByText('First');
  expect(Notices.last?.url).toBe('/api/shared/share_x/events?after=7');
  act(() => void Notices.last!.dispatchEvent(new Event('more')));
  await screen.findByText('Second');
  act(() => void Notices.last!.dispatchEvent(new Event('gone')));
  expect(await screen.findByRole('alert')).toBeDefined();
  expect(screen.getByText('This link does not work any more')).toBeDefined();
  expect(screen.queryByText('First')).toBeNull();
  expect(screen.queryByText('Soup')).toBeNull();
  expect(Notices.last?.closed).toBe(true);
  expect(heard.map(({ path }) => path)).toEqual(['/api/shared/share_x', '/api/shared/share_x?again=true', '/api/shared/share_x?again=true']);
});

it('asks for a login where the link is for those who have one', async () => {
  recordRequests(() => refusal(401, 'unauthorized'));
  await act(async () => render(<SharedPage token="share_x" />));
  expect((await screen.findByRole('link', { name: 'Log in' })).getAttribute('href')).toBe('/login');
});

/** Y-2: a link is made for the smaller audience unless somebody chooses the larger one, shown once, and taken back. */
it('makes a link, and takes it back', async () => {
  setState({ me: me('anyone') });
  const one = { id: 'l1', made_by: 'Ana', audience: 'anyone', follows: false, results: false, created_at: 1, opened: 0 };
  const heard = recordRequests(({ method }) => {
    if (method === 'POST') return Response.json({ ...one, link: 'https://example.org/s/share_y' }, { status: 201 });
    return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json({ links: [] });
  });
  render(<ShareDialog conversation="c1" title="Soup" close={() => undefined} />);
  await flushPromises();
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Everyone here who is logged in', hidden: true }).checked).toBe(true);
  await user.click(screen.getByRole('radio', { name: /Anyone who has the link/, hidden: true }));
  await user.click(screen.getByRole('button', { name: 'Make a link', hidden: true }));
  expect((await screen.findByLabelText<HTMLInputElement>('The link')).value).toBe('https://example.org/s/share_y');
  expect(heard[1]).toMatchObject({ method: 'POST', path: '/api/conversations/c1/links', body: { audience: 'anyone', follows: false, results: false, expires_in_days: 30 } });
  await user.click(screen.getByRole('button', { name: /Take back/, hidden: true }));
  await flushPromises();
  expect(heard[2]).toMatchObject({ method: 'DELETE', path: '/api/conversations/c1/links/l1' });
  expect(screen.queryByLabelText('The link')).toBeNull();
});

it('offers no link for anyone where they are switched off', async () => {
  setState({ me: me('tenant') });
  recordRequests(() => Response.json({ links: [] }));
  render(<ShareDialog conversation="c1" title="Soup" close={() => undefined} />);
  await flushPromises();
  expect(screen.queryByRole('radio', { name: /Anyone/, hidden: true })).toBeNull();
  expect(screen.getByText(/switched off here/)).toBeDefined();
});
