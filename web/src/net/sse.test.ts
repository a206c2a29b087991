import { describe, expect, it } from 'vitest';

import { decodeEvent } from './decode';
import { type SseEvent, SseParser } from './sse';

const STREAM =
  ': keep-alive\n\nid: 1\nevent: start\ndata: {"a":1}\n\nid: 2.3\r\nevent: chunk\r\ndata: {"text":\r\ndata: "Olá"}\r\n\r\nretry: 1000\n\ndata: bare\n\nevent: empty\n\nid: 3\nevent: cut\ndata: of';

function parse(text: string, size: number): SseEvent[] {
  const parser = new SseParser();
  const events: SseEvent[] = [];
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
  return events;
}

describe('the parser of server-sent events', () => {
  it('gives the same events at every chunking', () => {
    const whole = parse(STREAM, STREAM.length);
    expect(whole).toEqual([
      { id: '1', name: 'start', data: '{"a":1}' },
      { id: '2.3', name: 'chunk', data: '{"text":\n"Olá"}' },
      { id: null, name: 'message', data: 'bare' },
    ]);
    for (let size = 1; size < STREAM.length; size += 1) expect(parse(STREAM, size), `${size}`).toEqual(whole);
  });

  it('hears when to come back', () => {
    const parser = new SseParser();
    parser.push('retry: 1000\n\n');
    expect(parser.retry).toBe(1000);
  });
});

describe('what is decoded', () => {
  const decode = (name: string, data: unknown) => decodeEvent({ id: '1', name, data: JSON.stringify(data) });

  it('a recipe is an artifact like any other', () => {
    expect(decode('recipe_artifact', { recipe_id: 'r1' })?.body).toEqual({ event: 'artifact', data: { kind: 'recipe', id: 'r1' } });
  });

  /** T-1: without a type it is text; names come in either case. */
  it('a message has a type', () => {
    const typed = (message_type?: string) => decode('message', { id: 'm', role: 'assistant', message_type })?.body.data;
    expect(typed()).toMatchObject({ message_type: 'text', content: '', metadata: {} });
    expect(typed('MultiQuestion')).toMatchObject({ message_type: 'multi_question' });
    expect(typed('tool_call')).toMatchObject({ message_type: 'tool_call' });
  });

  /** T-7: it never crashes. */
  it('what is unknown or broken is left out, with a warning', ({ onTestFinished }) => {
    const said: unknown[] = [];
    const warn = console.warn;
    console.warn = (text: unknown) => said.push(text);
    onTestFinished(() => {
      console.warn = warn;
    });
    expect(decode('hologram', {})).toBeNull();
    expect(decode('chunk', { text: 1 })).toBeNull();
    expect(decodeEvent({ id: '1', name: 'chunk', data: '{"text"' })).toBeNull();
    expect(decodeEvent({ id: '1', name: 'done', data: '[]' })).toBeNull();
    expect(said).toHaveLength(4);
  });
});
