/** A parser for server-sent events: text in chunks of any size in, events out. */

export interface SseEvent {
  id: string | null;
  name: string;
  data: string;
}

export interface SseSink {
  /** The events of one read, in order. */
  events(events: SseEvent[]): void;
  /** The delay before reconnecting that the server asks for. */
  retry?(milliseconds: number): void;
  /** Called on every read, also for keep-alives. */
  alive?(): void;
}

/** Buffers incomplete lines and events between chunks. */
export class SseParser {
  private rest = '';
  private id: string | null = null;
  private name = '';
  private data: string[] = [];
  retry: number | null = null;

  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let buffer = this.rest + text;
    // A lone CR at the end may be the first half of a CRLF.
    const held = buffer.endsWith('\r') ? '\r' : '';
    if (held) buffer = buffer.slice(0, -1);
    const lines = buffer.split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + held;
    for (const line of lines) {
      const event = this.line(line);
      if (event) events.push(event);
    }
    return events;
  }

  private line(line: string): SseEvent | null {
    if (line === '') return this.dispatch();
    if (line.startsWith(':')) return null;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? '' : line.slice(colon + 1);
    const value = raw.startsWith(' ') ? raw.slice(1) : raw;
    if (field === 'id') this.id = value;
    else if (field === 'event') this.name = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    return null;
  }

  private dispatch(): SseEvent | null {
    const { id, name, data } = this;
    this.id = null;
    this.name = '';
    this.data = [];
    return data.length === 0 ? null : { id, name: name || 'message', data: data.join('\n') };
  }
}

/** Reads a stream to its end. Rejects if it breaks off. */
export async function readEvents(body: ReadableStream<Uint8Array>, sink: SseSink): Promise<void> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      sink.alive?.();
      const events = parser.push(decoder.decode(value, { stream: true }));
      if (parser.retry !== null) {
        sink.retry?.(parser.retry);
        parser.retry = null;
      }
      if (events.length > 0) sink.events(events);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
