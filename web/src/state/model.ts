/** The state of a conversation: the result of its events, and nothing else. */

import type {
  CallId,
  DoneReason,
  ErrorCode,
  Message,
  PromptClosed,
  ToolProgress,
  ToolStatus,
  UserPrompt,
} from '../protocol/generated';

/** A position in the log: a durable event, or a number of bytes into a text block. */
export interface LogPosition {
  seq: number;
  offset: number | null;
}

export type Item =
  /** Text or a typed message; `streaming` until it is complete. */
  | { kind: 'message'; key: string; message: Message; streaming: boolean }
  /** A tool run, its progress and its result. */
  | {
      kind: 'tool';
      key: CallId;
      turn: string | null;
      tool: string;
      status: ToolStatus;
      progress?: ToolProgress;
      /** The arguments of a call that ran. */
      input?: unknown;
      result: Message | null;
    }
  /** A prompt, open or closed; `message` is the message about it in the history. */
  | {
      kind: 'prompt';
      key: string;
      turn: string | null;
      prompt: UserPrompt;
      /** The MCP server whose app asks, if it is not the agent. */
      app: string | null;
      message: Message | null;
      closed: PromptClosed | null;
    }
  | { kind: 'error'; key: string; turn: string | null; text: string; code: ErrorCode; recoverable: boolean }
  | { kind: 'artifact'; key: string; turn: string | null; artifact: Artifact }
  /** The agent began a turn by itself. */
  | { kind: 'agent_initiated'; key: string; turn: string }
  /** A turn that was stopped or interrupted. */
  | { kind: 'ended'; key: string; turn: string; reason: Exclude<DoneReason, 'complete' | 'error'> };

export type ToolItem = Extract<Item, { kind: 'tool' }>;
export type PromptItem = Extract<Item, { kind: 'prompt' }>;

export interface Artifact {
  kind: string;
  id: string;
}

/** A turn and the one that it follows; none if it is the first of its path. */
export interface TurnNode {
  id: string;
  parent: string | null;
  /** The person's message that began it. */
  asked: string | null;
}

export interface Conversation {
  id: string | null;
  /** The id of the last event that was reduced. */
  lastEventId: string | null;
  /** Everything that the log has, in its order: also what is not on the path that is shown. */
  items: readonly Item[];
  /** The turns, in the order of the log. */
  turns: readonly TurnNode[];
  /** The last turn of the path that is shown. */
  leaf: string | null;
  /** Whether a turn does not follow the turn before it. */
  branched: boolean;
  /** The turn that runs. */
  turn: string | null;
  /** The MCP server whose app makes its only call, if one does. */
  app: string | null;
  /** Whether it waits for a free agent process. */
  queued: boolean;
  /** The person's message that the last turn answers, if it answers one. */
  asked: string | null;
  /** The last artifact that was shown, and how many were: the same one can be shown again. */
  shown: { artifact: Artifact; count: number } | null;
}

export const EMPTY: Conversation = {
  id: null,
  lastEventId: null,
  items: [],
  turns: [],
  leaf: null,
  branched: false,
  turn: null,
  app: null,
  queued: false,
  asked: null,
  shown: null,
};

export function parseEventId(id: string | null): LogPosition | null {
  const match = id === null ? null : /^(\d+)(?:\.(\d+))?$/.exec(id);
  if (!match) return null;
  return { seq: Number(match[1]), offset: match[2] === undefined ? null : Number(match[2]) };
}

/** Whether a position is after another one. A durable event comes before text of the same number. */
export function isAfter(place: LogPosition, other: LogPosition): boolean {
  if (place.seq !== other.seq) return place.seq > other.seq;
  return (place.offset ?? -1) > (other.offset ?? -1);
}
