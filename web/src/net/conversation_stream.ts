/**
 * The event stream of a conversation, resumed after the last event id whenever the
 * connection ends, until it is stopped (H-5).
 *
 * - The log is the only source of events: the body of a POST is not shown, so
 *   nothing is seen twice or out of order.
 * - A stream that misses two keep-alives is dead.
 * - A hidden tab without a running turn closes its connection: a browser has six
 *   for all tabs.
 */

import type { ConversationId } from '../protocol/generated';
import { decodeEvent, type LogEvent } from './decode';
import { ask, asRefusal } from './http';
import { readEvents } from './sse';

export type Connection = 'connecting' | 'live' | 'lost' | 'gone' | 'resting';

export interface StreamOptions {
  /** The last event that is known; the stream goes on after it. */
  lastEventId(): string | null;
  events(events: LogEvent[]): void;
  connection(state: Connection): void;
  /** Whether a hidden page still needs the stream. */
  wanted(): boolean;
}

const SILENCE = 45_000;
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 10_000;

export class ConversationStream {
  private stream: AbortController | null = null;
  private over = false;
  private wake: (() => void) | null = null;
  private pause = FIRST_PAUSE;

  constructor(
    private readonly conversation: ConversationId,
    private readonly options: StreamOptions,
  ) {
    window.addEventListener('online', this.reconnectNow);
    document.addEventListener('visibilitychange', this.visibility);
    void this.run();
  }

  stop(): void {
    this.over = true;
    window.removeEventListener('online', this.reconnectNow);
    document.removeEventListener('visibilitychange', this.visibility);
    this.stream?.abort();
    this.wake?.();
  }

  /** Ends the current backoff. */
  readonly reconnectNow = (): void => {
    this.pause = FIRST_PAUSE;
    this.wake?.();
  };

  private readonly visibility = (): void => {
    if (this.resting()) this.stream?.abort();
    else this.reconnectNow();
  };

  private resting(): boolean {
    return document.visibilityState === 'hidden' && !this.options.wanted();
  }

  private async run(): Promise<void> {
    this.options.connection('connecting');
    while (!this.over) {
      const gone = await this.once();
      if (this.over) return;
      if (gone) return this.options.connection('gone');
      if (this.resting()) {
        this.options.connection('resting');
        await this.sleep(null);
      } else {
        this.options.connection('lost');
        await this.sleep(this.pause * (0.75 + Math.random() / 2));
        this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
      }
    }
  }

  /** One connection, to its end. Returns whether the conversation is gone. */
  private async once(): Promise<boolean> {
    const stream = new AbortController();
    this.stream = stream;
    const silence = watchdog(SILENCE, () => stream.abort());
    try {
      const lastEventId = this.options.lastEventId();
      const response = await ask(`/api/conversations/${encodeURIComponent(this.conversation)}/events`, {
        headers: lastEventId === null ? {} : { 'Last-Event-ID': lastEventId },
        signal: stream.signal,
      });
      if (!response.body) return false;
      this.options.connection('live');
      this.pause = FIRST_PAUSE;
      await readEvents(response.body, {
        alive: silence.reset,
        events: (events) => this.take(events.map(decodeEvent)),
        retry: (milliseconds) => (this.pause = Math.min(milliseconds, LONGEST_PAUSE)),
      });
      return false;
    } catch (error) {
      return !stream.signal.aborted && asRefusal(error).code === 'not_found';
    } finally {
      silence.end();
    }
  }

  private take(events: (LogEvent | null)[]): void {
    if (!this.over) this.options.events(events.filter((event) => event !== null));
  }

  private sleep(milliseconds: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === null ? undefined : setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.over) this.wake();
    });
  }
}

function watchdog(milliseconds: number, bark: () => void) {
  let timer = setTimeout(bark, milliseconds);
  return {
    reset() {
      clearTimeout(timer);
      timer = setTimeout(bark, milliseconds);
    },
    end: () => clearTimeout(timer),
  };
}
