/** The list of conversations, and what waits in them. */

import * as api from '../net/api';
import { asRefusal, Refusal } from '../net/http';
import type { UserPrompt } from '../protocol/generated';
import { getState, setState } from './store';

/** Whether an answer is being written. A turn that waits for a person is running and writes nothing. */
export function isWriting(row: api.ConversationSummary, waiting: readonly UserPrompt[]): boolean {
  return row.running && !waiting.some((prompt) => prompt.conversation_id === row.id);
}

let latest = 0;

/** Reads the first page of what the search finds. Only the newest search counts. */
export async function refreshList(query: string = getState().list.query): Promise<void> {
  const mine = ++latest;
  setState(({ list }) => ({ list: { ...list, query } }));
  try {
    const page = await api.listConversations(query);
    if (mine !== latest) return;
    const { conversations: rows, next_before } = page;
    setState({ list: { rows, query, nextBefore: next_before ?? null, state: 'ready' } });
  } catch {
    if (mine === latest) setState(({ list }) => ({ list: { ...list, state: 'failed' } }));
  }
}

export async function loadMore(): Promise<void> {
  const { query, nextBefore } = getState().list;
  if (nextBefore === null) return;
  const mine = ++latest;
  try {
    const page = await api.listConversations(query, nextBefore);
    if (mine !== latest) return;
    setState(({ list }) => {
      const known = new Set(list.rows.map((row) => row.id));
      const rows = [...list.rows, ...page.conversations.filter((row) => !known.has(row.id))];
      return { list: { ...list, rows, nextBefore: page.next_before ?? null } };
    });
  } catch {
    // The button stays, so it can be pressed again.
  }
}

/** Debounced: many events in a row are one refresh. */
let soon: ReturnType<typeof setTimeout> | undefined;
export function refreshListSoon(): void {
  clearTimeout(soon);
  soon = setTimeout(() => void refreshList(), 250);
}

export async function rename(id: string, title: string): Promise<Refusal | null> {
  try {
    const view = await api.changeConversation(id, { title });
    setState((state) => ({
      list: {
        ...state.list,
        rows: state.list.rows.map((row) => (row.id === id ? { ...row, title: view.title } : row)),
      },
      ...(state.conversation.id === id ? { title: view.title } : {}),
    }));
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

/** Shares a conversation with everyone here, or takes that back. */
export async function setVisibility(id: string, visibility: api.Visibility): Promise<Refusal | null> {
  try {
    const view = await api.changeConversation(id, { visibility });
    setState(({ list }) => ({
      list: { ...list, rows: list.rows.map((row) => (row.id === id ? { ...row, visibility: view.visibility } : row)) },
    }));
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

export async function remove(id: string): Promise<Refusal | null> {
  try {
    await api.deleteConversation(id);
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.code !== 'not_found') return refusal;
  }
  setState(({ list, unfinished }) => ({
    list: { ...list, rows: list.rows.filter((row) => row.id !== id) },
    unfinished: unfinished?.summary.id === id ? null : unfinished,
  }));
  return null;
}

/** The open prompts of all conversations; none if they cannot be read. */
export async function refreshWaiting(): Promise<void> {
  try {
    setState({ waiting: await api.openPrompts() });
  } catch {
    setState({ waiting: [] });
  }
}
