/**
 * From the stream to the store: events are reduced as they come and written to the
 * store once per frame, so that a hundred tokens a second are not a hundred renders.
 * The history of a conversation is written at once, when it is complete.
 */

import { EMBEDDING } from '../browser/embedded';
import { type Connection, ConversationStream } from '../net/conversation_stream';
import type { LogEvent } from '../net/decode';
import { type Conversation, parseEventId } from './model';
import { reduceAll } from './reduce';
import { getState, setState } from './store';

/** What has come of the history is shown after this time, in milliseconds. */
const PATIENCE = 4_000;
/** Instead of frames, which a hidden page does not get. */
const HIDDEN_FRAME = 200;
/** The same while the page around a frame may hide it, which the frame is not told. */
const EMBEDDED_FRAME = 30;

let current: Subscription | null = null;

/** Subscribes to a conversation in place of another one, from the state that is known of it. */
export function subscribe(from: Conversation, cursor: string | null, onEvents: (events: LogEvent[]) => void): void {
  unsubscribe();
  if (from.id !== null) current = new Subscription(from, from.id, cursor, onEvents);
}

export function unsubscribe(): void {
  current?.stop();
  current = null;
}

/** Reconnects at once if the connection is lost. */
export function reconnect(): void {
  current?.stream.reconnectNow();
}

class Subscription {
  readonly stream: ConversationStream;
  private queue: LogEvent[] = [];
  private scheduled = false;
  private over = false;
  private readonly patience: ReturnType<typeof setTimeout> | undefined;
  private caughtUp: boolean;

  constructor(
    private conversation: Conversation,
    id: string,
    private readonly cursor: string | null,
    private readonly onEvents: (events: LogEvent[]) => void,
  ) {
    this.caughtUp = (parseEventId(cursor)?.seq ?? 0) === 0;
    if (!this.caughtUp) this.patience = setTimeout(() => this.show(true), PATIENCE);
    this.stream = new ConversationStream(id, {
      lastEventId: () => this.conversation.lastEventId,
      events: (events) => this.take(events),
      connection: (connection) => this.connected(connection),
      wanted: () => this.conversation.turn !== null,
    });
  }

  stop(): void {
    this.over = true;
    clearTimeout(this.patience);
    this.stream.stop();
  }

  private connected(connection: Connection): void {
    if (!this.over) setState({ connection });
  }

  private take(events: LogEvent[]): void {
    this.conversation = reduceAll(this.conversation, events);
    this.queue.push(...events);
    if (!this.caughtUp) {
      if (this.reachedCursor()) this.show(true);
      return;
    }
    if (this.scheduled) return;
    this.scheduled = true;
    const draw = () => {
      this.scheduled = false;
      this.show(false);
    };
    if (document.visibilityState === 'hidden') setTimeout(draw, HIDDEN_FRAME);
    else if (EMBEDDING) setTimeout(draw, EMBEDDED_FRAME);
    else requestAnimationFrame(draw);
  }

  private reachedCursor(): boolean {
    const reached = parseEventId(this.conversation.lastEventId);
    const cursor = parseEventId(this.cursor);
    return !cursor || (reached !== null && reached.seq >= cursor.seq);
  }

  private show(past: boolean): void {
    if (this.over) return;
    clearTimeout(this.patience);
    const events = this.queue;
    this.queue = [];
    this.caughtUp = true;
    const { outgoing } = getState();
    const arrived =
      outgoing?.messageId && this.conversation.items.some((item) => item.key === outgoing.messageId);
    setState({
      conversation: this.conversation,
      opening: 'no',
      live: true,
      ...(arrived ? { outgoing: null } : {}),
      ...(this.conversation.turn === null ? { stopping: false } : {}),
    });
    if (!past) this.onEvents(events);
  }
}
