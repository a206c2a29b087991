/** All that the page knows, in one place. Who changes it is in the files beside this one. */

import { create } from 'zustand';

import type { Allowance, ConversationSummary, Me } from '../net/api';
import type { Connection } from '../net/conversation_stream';
import type { Refusal } from '../net/http';
import type { Mode, UserPrompt } from '../protocol/generated';
import { type Artifact, type Conversation, EMPTY } from './model';

/** A picture on its way into a message. */
export interface Picture {
  name: string;
  mediaType: string;
  /** Base64, without the prefix of a data URL. */
  data: string;
  /** For showing it here. */
  url: string;
}

export interface Draft {
  text: string;
  picture: Picture | null;
  /** The name of a picture that was attached before a reload: too large to be kept, it has to be attached again. */
  missing?: string | null;
}

/** A message that is not acknowledged yet. */
export interface Outgoing extends Draft {
  clientId: string;
  /** Where it was typed: the key of its draft. */
  place: string;
  state: 'sending' | 'waiting' | 'failed';
  /** Known once the server has it; it is shown until the conversation has it too. */
  messageId: string | null;
  retryOf: string | null;
}

/** Why what was typed did not go out. */
export interface Notice {
  refusal: Refusal;
  at: number;
}

export interface ConversationList {
  rows: ConversationSummary[];
  query: string;
  nextBefore: string | null;
  state: 'loading' | 'ready' | 'failed';
}

/** What was left behind by a reload (K-3). */
export interface Unfinished {
  summary: ConversationSummary;
  why: 'running' | 'prompt' | 'last';
}

export interface ParlorState {
  me: Me | null;
  /** The page could not begin. */
  failure: Refusal | null;

  conversation: Conversation;
  title: string | null;
  mode: Mode;
  project: string | null;
  /** While the past is read, and why it could not be. */
  opening: 'no' | 'reading' | Refusal;
  /** Whether the past is known: what comes now is news. */
  live: boolean;
  connection: Connection | null;
  stopping: boolean;

  outgoing: Outgoing | null;
  drafts: Record<string, Draft>;
  notice: Notice | null;
  /** How often the server was reached again after it could not be. */
  reconnects: number;
  allowances: Allowance[];

  list: ConversationList;
  waiting: UserPrompt[];
  unfinished: Unfinished | null;

  panel: Artifact | null;
}

export const INITIAL: ParlorState = {
  me: null,
  failure: null,
  conversation: EMPTY,
  title: null,
  mode: 'act',
  project: null,
  opening: 'no',
  live: true,
  connection: null,
  stopping: false,
  outgoing: null,
  drafts: {},
  notice: null,
  reconnects: 0,
  allowances: [],
  list: { rows: [], query: '', nextBefore: null, state: 'loading' },
  waiting: [],
  unfinished: null,
  panel: null,
};

export const useParlor = create<ParlorState>(() => INITIAL);

export const { getState, setState } = useParlor;

export const NO_DRAFT: Draft = { text: '', picture: null, missing: null };

/** What is being typed in the conversation that is open. */
export const draftKey = (state: ParlorState): string => state.conversation.id ?? 'new';

export function draftOf(state: ParlorState, place: string): Draft {
  return state.drafts[place] ?? NO_DRAFT;
}

export function currentDraft(state: ParlorState): Draft {
  return draftOf(state, draftKey(state));
}

export function setDraft(change: Partial<Draft>): void {
  setState((state) => {
    const key = draftKey(state);
    return { drafts: { ...state.drafts, [key]: { ...currentDraft(state), ...change } } };
  });
}
