// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { hearRequests, refusal } from '../testing/draw';
import { send, startNew, takeBack } from './conversation';
import { draftsUnder, forgetAllDrafts, keepDraft, keepDraftsOf, recallDraft } from './drafts';
import { EMPTY } from './model';
import { currentDraft, getState, INITIAL, setDraft, setState } from './store';
import { restoreUnsent } from './unsent';

const isText = (value: unknown): value is string => typeof value === 'string';
const isDraft = (value: unknown): value is { text: string } => typeof (value as { text?: unknown } | undefined)?.text === 'string';
const kept = () => Object.fromEntries(Object.entries(draftsUnder('message.', isDraft)).map(([place, { text }]) => [place, text]));
const offline = () => vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(() => {
  setState(INITIAL, true);
  keepDraftsOf('home', 'user');
  restoreUnsent();
});
afterEach(() => {
  forgetAllDrafts();
  vi.unstubAllGlobals();
});

/** As a reload does: all that is left is what the browser kept. */
function reload(): void {
  const stored = Object.entries(localStorage);
  setState(INITIAL, true);
  for (const [name, text] of stored) localStorage.setItem(name, text as string);
  restoreUnsent();
}

/** U-6 */
describe('a message that was not sent', () => {
  it('is there after a reload, in its own conversation', () => {
    setDraft({ text: 'For a new one' });
    setState({ conversation: { ...EMPTY, id: 'c1' } });
    setDraft({ text: 'For the first' });
    const before = kept();
    reload();
    expect(before).toEqual({ new: 'For a new one', c1: 'For the first' });
    expect(currentDraft(getState()).text).toBe('For a new one');
    setState({ conversation: { ...EMPTY, id: 'c1' } });
    expect(currentDraft(getState()).text).toBe('For the first');
  });

  it('says which picture has to be attached again', () => {
    setDraft({ text: 'Look', picture: { name: 'soup.jpg', mediaType: 'image/jpeg', data: 'AAAA', url: 'blob:x' } });
    reload();
    expect(currentDraft(getState())).toEqual({ text: 'Look', picture: null, missing: 'soup.jpg' });
    expect(JSON.stringify(localStorage)).not.toContain('AAAA');
  });

  it('is kept while it waits for a connection, and in the conversation that was left', async () => {
    offline();
    setDraft({ text: 'From a tunnel' });
    void send();
    await settle();
    expect(getState().outgoing?.state).toBe('waiting');
    expect(kept()).toEqual({ new: 'From a tunnel' });
    setDraft({ text: 'And one more thing' });
    startNew();
    expect(currentDraft(getState()).text).toBe('From a tunnel\n\nAnd one more thing');
  });

  it('is put back before what was typed since, when it is refused or taken back', async () => {
    hearRequests(() => refusal(422, 'input_blocked'));
    setDraft({ text: 'Refused' });
    const sent = send();
    setDraft({ text: 'Typed since' });
    await sent;
    expect(currentDraft(getState()).text).toBe('Refused\n\nTyped since');
    hearRequests(() => refusal(500, 'internal'));
    const again = send();
    setDraft({ text: 'And this' });
    await again;
    expect(getState().outgoing?.state).toBe('failed');
    takeBack();
    expect(currentDraft(getState()).text).toBe('Refused\n\nTyped since\n\nAnd this');
  });

  it('is forgotten once it was sent; what was typed since goes with its conversation', async () => {
    const start = 'id: 1\nevent: start\ndata: {"conversation_id":"c9","turn_id":"t","message_id":"m"}\n\n';
    hearRequests(({ path }) => new Response(path === '/api/chat' ? start : '', { headers: { 'content-type': 'text/event-stream' } }));
    setDraft({ text: 'First' });
    const sent = send();
    setDraft({ text: 'Second' });
    await sent;
    expect(getState().conversation.id).toBe('c9');
    expect(currentDraft(getState()).text).toBe('Second');
    expect(kept()).toEqual({ c9: 'Second' });
    startNew();
  });
});

/** U-6: bounded, one's own, and gone with a log-out. */
describe('drafts', () => {
  it('are as many and as large as they may be', () => {
    for (let at = 0; at < 50; at += 1) keepDraft(`message.${at}`, { text: 'x' });
    expect(Object.keys(kept())).toHaveLength(32);
    keepDraft('message.large', { text: 'x'.repeat(70_000) });
    expect(kept()['large']).toBeUndefined();
  });

  it('are not shown to somebody else', () => {
    keepDraft('message.new', 'Mine');
    keepDraftsOf('home', 'admin');
    expect(recallDraft('message.new', isText)).toBeNull();
    keepDraftsOf('home', 'user');
    expect(recallDraft('message.new', isText)).toBe('Mine');
  });

  it('are gone after a log-out, and when they are old', () => {
    keepDraft('message.new', 'Mine');
    vi.useFakeTimers({ now: Date.now() + 31 * 24 * 3600_000, toFake: ['Date'] });
    keepDraftsOf('home', 'user');
    vi.useRealTimers();
    expect(kept()).toEqual({});
    keepDraft('message.new', 'Mine');
    forgetAllDrafts();
    keepDraft('message.late', 'Too late');
    expect(Object.keys(localStorage).filter((name) => name.includes('draft'))).toEqual([]);
  });
});
