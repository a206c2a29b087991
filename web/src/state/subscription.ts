/**
 * Between the stream and the store: events are reduced as they come and shown
 * once a frame, so that a hundred tokens a second are not a hundred renderings.
 * The past of a conversation is shown in one piece.
 */

import { type Connection, ConversationStream } from '../net/conversation_stream';
import type { LogEvent } from '../net/decode';
import { type Conversation, parseEventId } from './model';
import { reduceAll } from './reduce';
import { getState, setState } from './store';

/** However long the past takes to come, something is shown after this. */
const PATIENCE = 4_000;
/** A hidden page draws no frames. */
const HIDDEN_FRAME = 200;

let feed: Feed | null = null;

/** Follows a conversation from what is known of it, in place of another one. */
export function follow(from: Conversation, cursor: string | null, news: (events: LogEvent[]) => void): void {
  unsubscribe();
  if (from.id !== null) feed = new Feed(from, from.id, cursor, news);
}

export function unsubscribe(): void {
  feed?.stop();
  feed = null;
}

/** Comes back at once if the connection is lost. */
export function reconnect(): void {
  feed?.follower.reconnectNow();
}

class Feed {
  readonly follower: ConversationStream;
  private queue: LogEvent[] = [];
  private scheduled = false;
  private over = false;
  private readonly patience: ReturnType<typeof setTimeout> | undefined;
  private caughtUp: boolean;

  constructor(
    private conversation: Conversation,
    id: string,
    private readonly cursor: string | null,
    private readonly news: (events: LogEvent[]) => void,
  ) {
    this.caughtUp = (parseEventId(cursor)?.seq ?? 0) === 0;
    if (!this.caughtUp) this.patience = setTimeout(() => this.show(true), PATIENCE);
    this.follower = new ConversationStream(id, {
      place: () => this.conversation.place,
      events: (events) => this.take(events),
      connection: (connection) => this.connected(connection),
      wanted: () => this.conversation.turn !== null,
    });
  }

  stop(): void {
    this.over = true;
    clearTimeout(this.patience);
    this.follower.stop();
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
    else requestAnimationFrame(draw);
  }

  private reachedCursor(): boolean {
    const reached = parseEventId(this.conversation.place);
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
    if (!past) this.news(events);
  }
}
