import { describe, expect, it, vi } from 'vitest';

import { EMPTY } from '../state/model';
import { reduceAll } from '../state/reduce';
import { recording, RECORDINGS } from '../testing/recordings';
import { type Row, rowsOf } from './rows';

const rows = (name: string, until = Infinity) => rowsOf(reduceAll(EMPTY, recording(name).slice(0, until)), null);
const kinds = (list: Row[]) => list.map((row) => row.kind);
const at = (name: string, event: string) => recording(name).findIndex((one) => one.body.event === event) + 1;

describe('rows of the thread', () => {
  it.each(RECORDINGS)('%s has rows at every moment, each with a key of its own', (name) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    for (let end = 0; end <= recording(name).length; end += 1) {
      const keys = rows(name, end).map((row) => row.key);
      expect(new Set(keys).size, `${name} at ${end}`).toBe(keys.length);
    }
  });

  it('tools in a row fold into one', () => {
    const tools = rows('plan').filter((row) => row.kind === 'tools');
    expect(tools.map((row) => row.tools.map((tool) => tool.tool))).toEqual([['list_recipes', 'get_recipe']]);
  });

  /** I-5: one card for each server, below the calls that were not made; they can be tried again once the turn is over. */
  it('a login that is missing has one card', () => {
    const events = recording('plan').map((one) => {
      if (one.body.event !== 'message' || one.body.data.role !== 'tool') return one;
      const metadata = { is_error: true, code: 'login_needed', login: 'mail' };
      return { ...one, body: { ...one.body, data: { ...one.body.data, metadata } } };
    });
    const lastResult = events.findLastIndex((one) => one.body.event === 'message' && one.body.data.role === 'tool') + 1;
    const during = rowsOf(reduceAll(EMPTY, events.slice(0, lastResult)), null);
    expect(during.filter((row) => row.kind === 'login')).toMatchObject([{ server: 'mail', asked: null }]);
    const logins = rowsOf(reduceAll(EMPTY, events), null).filter((row) => row.kind === 'login');
    expect(logins).toMatchObject([{ server: 'mail', asked: { role: 'user' } }]);
  });

  it('the card that asks stands for the tool that waits, and the tool comes after it', () => {
    expect(kinds(rows('approval', at('approval', 'userPrompt')))).toEqual(['person', 'prompt']);
    expect(kinds(rows('approval'))).toEqual(['person', 'prompt', 'tools', 'text']);
  });

  it('a turn that waits says so until something comes', () => {
    const queued = at('agent_initiated', 'queued');
    expect(rows('agent_initiated', queued).at(-1)).toMatchObject({ kind: 'working', queued: true });
    expect(kinds(rows('agent_initiated', queued + 1))).toEqual(['person', 'text']);
  });

  it('what the agent says by itself follows an answer that is finished', () => {
    const finished = rows('agent_initiated');
    expect(kinds(finished)).toEqual(['person', 'text', 'agent_initiated', 'text']);
    expect(finished.filter((row) => row.kind === 'text').map((row) => row.last)).toEqual([true, true]);
  });

  it('what was withheld is told once, and why', () => {
    const finished = rows('declined');
    expect(kinds(finished)).toEqual(['person', 'text', 'error']);
    expect(finished[2]).toMatchObject({ remedy: 'rephrase', retry: false });
  });

  it('thoughts are never above the answer once it is there', () => {
    const thinking = at('thinking', 'thinking');
    expect(kinds(rows('thinking', thinking))).toEqual(['person', 'thinking']);
    const finished = rows('thinking');
    expect(kinds(finished)).toEqual(['person', 'text']);
    expect(finished[1]).toMatchObject({ thoughts: [expect.stringContaining('Yeast')] });
  });

  it('something is seen to go on whenever nothing else shows it', () => {
    expect(kinds(rows('list', 2))).toEqual(['person', 'working']);
    const afterResult = recording('list').findIndex((one) => one.body.event === 'message' && one.body.data.role === 'tool') + 1;
    expect(kinds(rows('list', afterResult)).at(-1)).toBe('working');
    expect(kinds(rows('list', at('list', 'chunk'))).at(-1)).toBe('text');
    expect(kinds(rows('list'))).not.toContain('working');
  });

  it('only the last error can be tried again, once the turn is over', () => {
    expect(rows('error').at(-1)).toMatchObject({ kind: 'error', retry: true });
    expect(rows('error', at('error', 'error')).find((row) => row.kind === 'error')).toMatchObject({ retry: false });
  });

  /** C-2, U-5: a sentence that ends in a question mark is an answer like any other, to be copied. */
  it('a question without anything to choose is words', () => {
    const events = recording('list').map((event) => structuredClone(event));
    const answer = events.findLast(({ body }) => body.event === 'message' && body.data.role === 'assistant');
    if (answer?.body.event !== 'message') throw new Error('the recording has no answer');
    answer.body.data.message_type = 'question';
    expect(rowsOf(reduceAll(EMPTY, events), null).at(-1)).toMatchObject({ kind: 'text', last: true });
    answer.body.data.options = [{ label: 'Soup', value: 'soup' }];
    expect(rowsOf(reduceAll(EMPTY, events), null).at(-1)).toMatchObject({ kind: 'card' });
  });

  /** T-7 */
  it('an unknown type is shown as text, with a warning', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const [event] = recording('unknown').filter((one) => one.body.event === 'message').slice(-1);
    if (event?.body.event !== 'message') throw new Error('the recording has no message');
    event.body.data.message_type = 'never_seen_before';
    expect(rowsOf(reduceAll(EMPTY, [event]), null)[0]).toMatchObject({ kind: 'text' });
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toContain('never_seen_before');
  });

  it('rows that did not change are the same objects', () => {
    const events = recording('thinking');
    const before = rowsOf(reduceAll(EMPTY, events.slice(0, -3)), null);
    const after = rowsOf(reduceAll(EMPTY, events.slice(0, -2)), null, before);
    expect(after[0]).toBe(before[0]);
    expect(after.at(-1)).not.toBe(before.at(-1));
  });

  it('a message on its way stands at the end', () => {
    const outgoing = { clientId: 'c', draftKey: 'new', text: 'Hello', files: [], state: 'sending', messageId: null, retryOf: null } as const;
    expect(kinds(rowsOf(EMPTY, outgoing))).toEqual(['outgoing', 'working']);
    expect(kinds(rowsOf(EMPTY, { ...outgoing, state: 'failed' }))).toEqual(['outgoing']);
  });
});
