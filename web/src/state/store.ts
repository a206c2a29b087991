/** The state of the page, in one store. The files beside this one change it. */

import { create } from 'zustand';

import type { Allowance, ConversationSummary, ListName, Me, OpenPrompt, Project } from '../net/api';
import type { Connection } from '../net/conversation_stream';
import type { Refusal } from '../net/http';
import type { Mode } from '../protocol/generated';
import type { AdminTab, Page } from './address';
import { type Artifact, type Conversation, EMPTY } from './model';

/** A file attached to a draft. */
export interface AttachedFile {
  name: string;
  mediaType: string;
  size: number;
  /** Base64, without the prefix of a data URL. */
  data: string;
  /** An object URL for the thumbnail of a picture. */
  url: string | null;
}

export interface Draft {
  text: string;
  files: readonly AttachedFile[];
  /** The names of files that were attached before a reload: too large to be kept, they have to be attached again. */
  missing?: readonly string[];
}

/** A message that is not acknowledged yet. */
export interface Outgoing extends Draft {
  clientId: string;
  /** The key of the draft that it was typed in. */
  draftKey: string;
  state: 'sending' | 'waiting' | 'failed';
  /** Known once it is acknowledged. It is shown here until the stream brings the message. */
  messageId: string | null;
  retryOf: string | null;
  /** The version that it takes the place of: its turn and its message. */
  inPlaceOf?: { turn: string; message: string; how: 'edit' | 'regenerate' };
  /** Whether an edit leaves out the files that the message had. */
  withoutFiles?: boolean;
  /** Whether the agent goes on without what it read of others. */
  clears?: boolean;
}

/** Why a message was not accepted. */
export interface Notice {
  refusal: Refusal;
  at: number;
}

export interface ConversationList {
  name: ListName;
  rows: ConversationSummary[];
  nextBefore: string | null;
  state: 'loading' | 'ready' | 'failed';
}

/** The conversation that a reload left (K-3). */
export interface Unfinished {
  summary: ConversationSummary;
  why: 'running' | 'prompt' | 'last';
}

export interface ParlorState {
  me: Me | null;
  /** Why the page could not be loaded. */
  failure: Refusal | null;
  page: Page;
  /** The tab of the page of administrators. */
  adminTab: AdminTab;

  conversation: Conversation;
  title: string | null;
  mode: Mode;
  project: string | null;
  /** While the history is read, or why it could not be. */
  opening: 'no' | 'reading' | Refusal;
  /** Whether the history is complete, so that whatever comes now is announced. */
  live: boolean;
  connection: Connection | null;
  stopping: boolean;

  outgoing: Outgoing | null;
  drafts: Record<string, Draft>;
  notice: Notice | null;
  /** Counts how often the server was reached again. */
  reconnects: number;
  allowances: Allowance[];

  list: ConversationList;
  waiting: OpenPrompt[];
  unfinished: Unfinished | null;
  /** The message that is to be shown as soon as it is there. */
  target: string | null;

  panel: Artifact | null;
  /** Whether the page shows what somebody shared: nothing can be said or answered. */
  readOnly: boolean;
}

export const INITIAL: ParlorState = {
  me: null,
  failure: null,
  page: 'chat',
  adminTab: 'overview',
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
  list: { name: 'current', rows: [], nextBefore: null, state: 'loading' },
  waiting: [],
  unfinished: null,
  target: null,
  panel: null,
  readOnly: false,
};

export const useParlor = create<ParlorState>(() => INITIAL);

export const { getState, setState } = useParlor;

export const NO_DRAFT: Draft = { text: '', files: [], missing: [] };

/** The project of the open conversation, or of the next one. */
export const currentProject = ({ me, project }: ParlorState): Project | null => me?.projects.find((one) => one.id === project) ?? null;

/** The key of the draft of the open conversation. */
export const openDraftKey = (state: ParlorState): string => state.conversation.id ?? 'new';

export function draftOf(state: ParlorState, place: string): Draft {
  return state.drafts[place] ?? NO_DRAFT;
}

export function currentDraft(state: ParlorState): Draft {
  return draftOf(state, openDraftKey(state));
}

/** Whether no version can be begun or chosen now: something is being said. */
export const cannotBranch = ({ conversation, outgoing }: ParlorState): boolean => conversation.turn !== null || outgoing !== null;

/** The key of the draft of an edited message. */
export const editKey = (message: string): string => `edit.${message}`;

/** Changes the draft of an edited message; `null` closes the editor. */
export function setEdit(message: string, draft: Draft | null): void {
  setState((state) => {
    const { [editKey(message)]: _before, ...others } = state.drafts;
    return { drafts: draft === null ? others : { ...others, [editKey(message)]: draft } };
  });
}

export function setDraft(change: Partial<Draft>): void {
  setState((state) => {
    const key = openDraftKey(state);
    return { drafts: { ...state.drafts, [key]: { ...currentDraft(state), ...change } } };
  });
}
