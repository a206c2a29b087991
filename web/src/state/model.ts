/** What a conversation looks like to a reader: the result of its events, and nothing else. */

import type {
  CallId,
  DoneReason,
  ErrorCode,
  Message,
  PromptClosed,
  ToolStatus,
  UserPrompt,
} from '../protocol/generated';

/** A place in the log: a durable event, or so many bytes into a block of text. */
export interface LogPosition {
  seq: number;
  offset: number | null;
}

export type Item =
  /** Words or a typed message; `streaming` while more of it comes. */
  | { kind: 'message'; key: string; message: Message; streaming: boolean }
  /** A tool at work, and what it gave back. */
  | { kind: 'tool'; key: CallId; turn: string | null; tool: string; status: ToolStatus; result: Message | null }
  /** A question that waits, or waited; `message` is what stands for it in the history. */
  | { kind: 'prompt'; key: string; prompt: UserPrompt; message: Message | null; closed: PromptClosed | null }
  | { kind: 'error'; key: string; turn: string | null; text: string; code: ErrorCode; recoverable: boolean }
  | { kind: 'artifact'; key: string; artifact: Artifact }
  /** The agent began a turn by itself. */
  | { kind: 'unasked'; key: string; turn: string }
  /** A turn that did not come to its own end. */
  | { kind: 'ended'; key: string; turn: string; reason: Exclude<DoneReason, 'complete' | 'error'> };

export type ToolItem = Extract<Item, { kind: 'tool' }>;
export type PromptItem = Extract<Item, { kind: 'prompt' }>;

export interface Artifact {
  kind: string;
  id: string;
}

export interface Conversation {
  id: string | null;
  /** The last event that is in here, in the server's words. */
  place: string | null;
  items: readonly Item[];
  /** The turn that runs. */
  turn: string | null;
  /** Whether it waits until there is room for it. */
  queued: boolean;
  /** The person's message that the last turn answers, if it answers one. */
  asked: string | null;
  /** What was asked to be shown beside the chat, and how often something was. */
  shown: { artifact: Artifact; count: number } | null;
}

export const EMPTY: Conversation = {
  id: null,
  place: null,
  items: [],
  turn: null,
  queued: false,
  asked: null,
  shown: null,
};

export function parseEventId(id: string | null): LogPosition | null {
  const match = id === null ? null : /^(\d+)(?:\.(\d+))?$/.exec(id);
  if (!match) return null;
  return { seq: Number(match[1]), offset: match[2] === undefined ? null : Number(match[2]) };
}

/** Whether `place` is past `other`. A durable event stands before text of the same number. */
export function isAfter(place: LogPosition, other: LogPosition): boolean {
  if (place.seq !== other.seq) return place.seq > other.seq;
  return (place.offset ?? -1) > (other.offset ?? -1);
}

/** The prompt that waits; the oldest one if there are several. */
export function openPrompt(conversation: Conversation): UserPrompt | null {
  const item = conversation.items.find((one) => one.kind === 'prompt' && one.closed === null);
  return item?.kind === 'prompt' ? item.prompt : null;
}
