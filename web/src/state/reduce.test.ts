import { describe, expect, it } from 'vitest';

import type { LogEvent } from '../net/decode';
import { recording, RECORDINGS } from '../testing/recordings';
import { openPrompt } from './branches';
import { EMPTY, type Item } from './model';
import { reduce, reduceAll } from './reduce';

const final = (name: string) => reduceAll(EMPTY, recording(name));
const kinds = (items: readonly Item[]) =>
  items.map((item) => (item.kind === 'message' ? `${item.message.role}:${item.message.message_type}` : item.kind));

/** Up to and with the first event of a kind. */
function until(name: string, event: string): LogEvent[] {
  const events = recording(name);
  return events.slice(0, events.findIndex((one) => one.body.event === event) + 1);
}

/** The recording of a tool that never ends. */
const UNFINISHED = 'progress';

describe('every recording', () => {
  it.each(RECORDINGS.filter((name) => name !== UNFINISHED))('%s ends with nothing that still streams and no turn', (name) => {
    const state = final(name);
    expect(state.turn).toBeNull();
    expect(state.items.some((item) => item.kind === 'message' && item.streaming)).toBe(false);
    expect(new Set(state.items.map((item) => item.key)).size).toBe(state.items.length);
  });

  /** H-5: taken up anywhere, with any overlap, nothing is lost and nothing comes twice. */
  it.each(RECORDINGS)('%s is the same wherever the connection broke', (name) => {
    const events = recording(name);
    const whole = reduceAll(EMPTY, events);
    // A snapshot takes back what came before it, so it is not sent twice.
    const overlaps = events.some((one) => one.body.event === 'snapshot') ? [0] : [0, 1, 3];
    for (let cut = 0; cut <= events.length; cut += 1) {
      const before = reduceAll(EMPTY, events.slice(0, cut));
      for (const overlap of overlaps) {
        const again = events.slice(Math.max(0, cut - overlap));
        expect(reduceAll(before, again), `${name} at ${cut} with ${overlap}`).toEqual(whole);
      }
    }
  });
});

describe('text', () => {
  it('streams into one message, which the finished one replaces', () => {
    const events = recording('thinking');
    const streaming = events.findLastIndex((one) => one.body.event === 'chunk');
    const during = reduceAll(EMPTY, events.slice(0, streaming));
    expect(during.items.at(-1)).toMatchObject({ kind: 'message', streaming: true });
    expect(during.turn).not.toBeNull();
    expect(kinds(final('thinking').items)).toEqual(['user:text', 'assistant:thinking', 'assistant:info']);
  });

  it('is one piece whether it came in many or in one, as after a reconnect', () => {
    const events = recording('stopped');
    const chunks = events.filter((one) => one.body.event === 'chunk');
    const merged: LogEvent = {
      id: chunks.at(-1)!.id,
      body: {
        event: 'chunk',
        data: {
          message_id: (chunks[0]!.body.data as { message_id: string }).message_id,
          text: chunks.map((one) => (one.body.data as { text: string }).text).join(''),
        },
      },
    };
    const at = events.indexOf(chunks[0]!);
    const shorter = [...events.slice(0, at), merged, ...events.slice(at + chunks.length)];
    expect(reduceAll(EMPTY, shorter)).toEqual(final('stopped'));
  });

  it('takes back what was lost in a crash, and says that the turn was cut short', () => {
    const during = reduceAll(EMPTY, until('interrupted', 'snapshot'));
    expect(during.items.at(-1)).toMatchObject({ message: { content: '1, 2, 3, 4, ' } });
    expect(final('interrupted').items.at(-1)).toMatchObject({ kind: 'ended', reason: 'interrupted' });
  });

  it('is not written on once it is finished', () => {
    const state = final('stopped');
    const message = state.items[1] as Extract<Item, { kind: 'message' }>;
    const late = reduce(state, { id: '99.4', body: { event: 'chunk', data: { text: 'late', message_id: message.key } } });
    expect(late.items).toEqual(state.items);
  });
});

describe('prompts', () => {
  it('stand in the place of the message about them', () => {
    for (const [name, events] of [
      ['approval', 'userPrompt'],
      ['question', 'userPrompt'],
      ['multi_question', 'userPrompt'],
      ['plan', 'userPrompt'],
    ] as const) {
      const state = reduceAll(EMPTY, until(name, events));
      const prompts = state.items.filter((item) => item.kind === 'prompt');
      expect(prompts, name).toHaveLength(1);
      expect(prompts[0]!.message, name).not.toBeNull();
      expect(kinds(state.items).filter((kind) => kind.startsWith('assistant')), name).toEqual([]);
      expect(openPrompt(state)?.messageId, name).toBe(prompts[0]!.key);
    }
  });

  it('are the same if the message comes after them', () => {
    const events = until('plan', 'userPrompt');
    const [prompt, message] = [events.at(-1)!, events.at(-2)!];
    const swapped = [...events.slice(0, -2), { ...prompt, id: message.id }, { ...message, id: prompt.id }];
    expect(reduceAll(EMPTY, swapped).items).toEqual(reduceAll(EMPTY, events).items);
  });

  it('say how they ended', () => {
    for (const [name, outcome] of [
      ['approval', 'answered'],
      ['approval_refused', 'refused'],
      ['approval_expired', 'expired'],
    ] as const) {
      const item = final(name).items.find((one) => one.kind === 'prompt');
      expect(item?.kind === 'prompt' && item.closed?.outcome, name).toBe(outcome);
      expect(openPrompt(final(name))).toBeNull();
    }
  });

  it('wait longer when somebody asks for it', () => {
    const open = reduceAll(EMPTY, until('approval', 'userPrompt'));
    const id = openPrompt(open)!.messageId;
    const longer = reduce(open, { id: '90', body: { event: 'userPromptUpdated', data: { messageId: id, expires_at: 5 } } });
    expect(openPrompt(longer)?.expires_at).toBe(5);
    const forEver = reduce(longer, { id: '91', body: { event: 'userPromptUpdated', data: { messageId: id, expires_at: null } } });
    expect(openPrompt(forEver)).not.toHaveProperty('expires_at');
  });
});

describe('tools, errors, artifacts', () => {
  it('a tool at work and its result are one item', () => {
    const tools = final('list').items.filter((item) => item.kind === 'tool');
    expect(tools).toHaveLength(1);
    expect(tools[0]).toMatchObject({ tool: 'list_recipes', status: 'completed', result: { role: 'tool', message_type: 'tool_result' } });
    expect(final('approval_refused').items.find((item) => item.kind === 'tool')).toMatchObject({ status: 'denied' });
  });

  it('an error is said once, whether as a message or only as an event', () => {
    expect(kinds(final('error').items)).toEqual(['user:text', 'assistant:info', 'assistant:error']);
    expect(kinds(final('error_event').items)).toEqual(['user:text', 'tool', 'error']);
    const events = recording('error');
    const at = events.findIndex((one) => one.body.event === 'error');
    const [message, error] = [events[at - 1]!, events[at]!];
    const swapped = [...events.slice(0, at - 1), { ...error, id: message.id }, { ...message, id: error.id }, ...events.slice(at + 1)];
    expect(reduceAll(EMPTY, swapped).items).toEqual(final('error').items);
  });

  it('what is shown beside the chat is counted, so that the same one can be asked for again', () => {
    expect(final('recipe').shown).toEqual({ artifact: { kind: 'recipe', id: expect.any(String) as unknown }, count: 1 });
  });
});
