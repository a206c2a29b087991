// @vitest-environment jsdom

import { afterEach, describe, expect, it, vi } from 'vitest';

import { type Connection, ConversationStream } from './conversation_stream';
import type { LogEvent } from './decode';

const ID = '0198c5a2-7b1e-7cc0-8000-000000000001';

/** A stream that brings a text and then ends, breaks off or stays open. */
function stream(text: string, then: 'end' | 'break' | 'stay'): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (then === 'end') controller.close();
    },
    pull(controller) {
      if (then === 'break') controller.error(new Error('reset'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const chunk = (id: string) => `id: ${id}\nevent: chunk\ndata: {"text":"x","message_id":"m"}\n\n`;

interface Seen {
  asked: (string | null)[];
  events: LogEvent[];
  connections: Connection[];
}

async function following(answers: (() => Response | Promise<Response>)[], until: (seen: Seen) => boolean): Promise<Seen> {
  const seen: Seen = { asked: [], events: [], connections: [] };
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    seen.asked.push(new Headers(init.headers).get('last-event-id'));
    const answer = answers.shift();
    return Promise.resolve(answer ? answer() : stream(': here\n\n', 'stay'));
  });
  const follower = new ConversationStream(ID, {
    lastEventId: () => seen.events.at(-1)?.id ?? null,
    events: (events) => seen.events.push(...events),
    connection: (state) => seen.connections.push(state),
    wanted: () => true,
  });
  await vi.waitFor(() => expect(until(seen)).toBe(true), { timeout: 8_000, interval: 10 });
  follower.stop();
  return seen;
}

afterEach(() => vi.unstubAllGlobals());

describe('following a conversation', () => {
  /** H-5: it comes back by itself, after the last event that it has. */
  it('goes on after the last event, whether the stream ended or broke', async () => {
    const seen = await following(
      [() => stream(chunk('3.1') + chunk('3.2'), 'end'), () => stream(chunk('3.3'), 'break'), () => Promise.reject(new TypeError('down'))],
      ({ asked }) => asked.length === 4,
    );
    expect(seen.asked).toEqual([null, '3.2', '3.3', '3.3']);
    expect(seen.events.map((event) => event.id)).toEqual(['3.1', '3.2', '3.3']);
    expect(seen.connections).toContain('lost');
  });

  it('says when the conversation is gone, and stops asking', async () => {
    const seen = await following([() => new Response('{"error":{"code":"not_found","message":""}}', { status: 404 })], ({ connections }) =>
      connections.includes('gone'),
    );
    expect(seen.asked).toHaveLength(1);
  });
});
