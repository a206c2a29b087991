import { describe, expect, it } from 'vitest';

import type { LogEvent } from '../net/decode';
import type { Message } from '../protocol/generated';
import { rowsOf } from '../thread/rows';
import { shown, versions } from './branches';
import { EMPTY } from './model';
import { reduceAll } from './reduce';

let seq = 0;
const event = (body: LogEvent['body']): LogEvent => ({ id: String(++seq), body });

/** A turn with a message of a person and an answer. */
function turn(id: string, branch?: { parent?: string }): LogEvent[] {
  const message = (role: Message['role']): LogEvent['body'] => ({
    event: 'message',
    data: {
      id: `${role}-${id}`, conversation_id: 'c', turn_id: id, role, content: `${role} ${id}`,
      message_type: role === 'user' ? 'text' : 'info', metadata: {}, created_at: 0,
    },
  });
  return [
    event({ event: 'start', data: { conversation_id: 'c', turn_id: id, message_id: `user-${id}`, ...(branch ? { branch } : {}) } }),
    event(message('user')),
    event(message('assistant')),
    event({ event: 'done', data: { conversation_id: 'c', turn_id: id, tokens_used: null, reason: 'complete' } }),
  ];
}

const chosen = (id: string) => event({ event: 'branch_chosen', data: { conversation_id: 'c', turn_id: id } });
const path = (events: LogEvent[]) =>
  shown(reduceAll(EMPTY, events)).items.flatMap((item) => (item.kind === 'message' && item.message.role === 'user' ? [item.message.turn_id] : []));

describe('branches', () => {
  it('show the path to the last turn that began, or that was chosen since', () => {
    const first = [...turn('a'), ...turn('b'), ...turn('c')];
    expect(path(first)).toEqual(['a', 'b', 'c']);
    const edited = [...first, ...turn('d', { parent: 'a' }), ...turn('e')];
    expect(path(edited)).toEqual(['a', 'd', 'e']);
    const back = [...edited, chosen('c')];
    expect(path(back)).toEqual(['a', 'b', 'c']);
    expect(path([...back, ...turn('f', { parent: 'c' })])).toEqual(['a', 'b', 'c', 'f']);
    expect(path([...back, ...turn('g', {})])).toEqual(['g']);
  });

  it('cost nothing where there are none', () => {
    const line = reduceAll(EMPTY, [...turn('a'), ...turn('b')]);
    expect(shown(line)).toBe(line);
    expect(versions(line).size).toBe(0);
  });

  it('are the same however often the log is read', () => {
    const events = [...turn('a'), ...turn('b'), ...turn('c', { parent: 'a' }), chosen('b')];
    const whole = reduceAll(EMPTY, events);
    for (let cut = 0; cut <= events.length; cut += 1) {
      const before = reduceAll(EMPTY, events.slice(0, cut));
      expect(reduceAll(before, events.slice(Math.max(0, cut - 2)))).toEqual(whole);
    }
  });

  it('name the versions of a message, and which can be edited', () => {
    const state = reduceAll(EMPTY, [...turn('a'), ...turn('b'), ...turn('c', { parent: 'a' }), ...turn('d', { parent: 'a' }), chosen('c')]);
    const people = rowsOf(state, null).filter((row) => row.kind === 'person');
    expect(people.map((row) => row.versions)).toEqual([[], ['b', 'c', 'd']]);
    expect(people.every((row) => row.editable)).toBe(true);
    const answers = rowsOf(state, null).filter((row) => row.kind === 'text');
    expect(answers.map((row) => row.asked?.id)).toEqual(['user-a', 'user-c']);
  });

  it('a version that is on its way stands in the place of what it replaces', () => {
    const state = reduceAll(EMPTY, [...turn('a'), ...turn('b'), ...turn('c')]);
    const outgoing = {
      clientId: 'new', draftKey: 'edit.user-b', text: 'New', files: [], state: 'sending', messageId: null, retryOf: null,
      inPlaceOf: { turn: 'b', message: 'user-b', how: 'edit' },
    } as const;
    expect(rowsOf(state, outgoing).map((row) => row.key)).toEqual(['user-a', 'assistant-a', 'new', 'working']);
  });
});
