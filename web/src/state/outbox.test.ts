// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { recordRequests, refusal } from '../testing/render';
import { send, startNew, editUndelivered } from './conversation';
import { clearDrafts, draftsUnder, openDraftsOf, readDraft, saveDraft } from './draft_storage';
import { EMPTY } from './model';
import { restoreOutbox } from './outbox';
import { currentDraft, getState, INITIAL, setDraft, setState } from './store';

const isText = (value: unknown): value is string => typeof value === 'string';
const isDraft = (value: unknown): value is { text: string } => typeof (value as { text?: unknown } | undefined)?.text === 'string';
const kept = () => Object.fromEntries(Object.entries(draftsUnder('message.', isDraft)).map(([place, { text }]) => [place, text]));
const offline = () => vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
const flushPromises = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(() => {
  setState(INITIAL, true);
  openDraftsOf('home', 'user');
  restoreOutbox();
});
afterEach(() => {
  clearDrafts();
  vi.unstubAllGlobals();
});

/** As a reload does: all that is left is what the browser kept. */
function reload(): void {
  const stored = Object.entries(localStorage);
  setState(INITIAL, true);
  for (const [name, text] of stored) localStorage.setItem(name, text as string);
  restoreOutbox();
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

  it('is kept if it was typed before the page knew whose it is', () => {
    setState(INITIAL, true);
    setDraft({ text: 'Typed at once' });
    saveDraft('message.new', { text: 'From last time', picture: null });
    restoreOutbox();
    expect(kept()).toEqual({ new: 'From last time\n\nTyped at once' });
    expect(currentDraft(getState()).text).toBe('From last time\n\nTyped at once');
    restoreOutbox();
    expect(kept()).toEqual({ new: 'From last time\n\nTyped at once' });
  });

  it('says which files have to be attached again', () => {
    const soup = { name: 'soup.jpg', mediaType: 'image/jpeg', size: 3, data: 'AAAA', url: 'blob:x' };
    setDraft({ text: 'Look', files: [soup, { ...soup, name: 'bill.pdf', mediaType: 'application/pdf', url: null }] });
    reload();
    expect(currentDraft(getState())).toEqual({ text: 'Look', files: [], missing: ['soup.jpg', 'bill.pdf'] });
    expect(JSON.stringify(localStorage)).not.toContain('AAAA');
  });

  it('is kept while it waits for a connection, and in the conversation that was left', async () => {
    offline();
    setDraft({ text: 'From a tunnel' });
    void send();
    await flushPromises();
    expect(getState().outgoing?.state).toBe('waiting');
    expect(kept()).toEqual({ new: 'From a tunnel' });
    setDraft({ text: 'And one more thing' });
    startNew();
    expect(currentDraft(getState()).text).toBe('From a tunnel\n\nAnd one more thing');
  });

  it('is put back before what was typed since, when it is refused or taken back', async () => {
    recordRequests(() => refusal(422, 'input_blocked'));
    setDraft({ text: 'Refused' });
    const sent = send();
    setDraft({ text: 'Typed since' });
    await sent;
    expect(currentDraft(getState()).text).toBe('Refused\n\nTyped since');
    recordRequests(() => refusal(500, 'internal'));
    const again = send();
    setDraft({ text: 'And this' });
    await again;
    expect(getState().outgoing?.state).toBe('failed');
    editUndelivered();
    expect(currentDraft(getState()).text).toBe('Refused\n\nTyped since\n\nAnd this');
  });

  it('is forgotten once it was sent; what was typed since goes with its conversation', async () => {
    const start = 'id: 1\nevent: start\ndata: {"conversation_id":"c9","turn_id":"t","message_id":"m"}\n\n';
    recordRequests(({ path }) => new Response(path === '/api/chat' ? start : '', { headers: { 'content-type': 'text/event-stream' } }));
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
    for (let at = 0; at < 50; at += 1) saveDraft(`message.${at}`, { text: 'x' });
    expect(Object.keys(kept())).toHaveLength(32);
    saveDraft('message.large', { text: 'x'.repeat(70_000) });
    expect(kept()['large']).toBeUndefined();
  });

  it('are not shown to somebody else', () => {
    saveDraft('message.new', 'Mine');
    openDraftsOf('home', 'admin');
    expect(readDraft('message.new', isText)).toBeNull();
    openDraftsOf('home', 'user');
    expect(readDraft('message.new', isText)).toBe('Mine');
  });

  it('are gone after a log-out, and when they are old', () => {
    saveDraft('message.new', 'Mine');
    vi.useFakeTimers({ now: Date.now() + 31 * 24 * 3600_000, toFake: ['Date'] });
    openDraftsOf('home', 'user');
    vi.useRealTimers();
    expect(kept()).toEqual({});
    saveDraft('message.new', 'Mine');
    clearDrafts();
    saveDraft('message.late', 'Too late');
    expect(Object.keys(localStorage).filter((name) => name.includes('draft'))).toEqual([]);
  });
});
