/** The list of conversations, and what waits in them. */

import * as api from '../net/api';
import { asRefusal, Refusal } from '../net/http';
import { searchAgain } from './search';
import { getState, setState } from './store';

/** Whether an answer is being written. A turn that waits for a person is running and writes nothing. */
export function isWriting(row: api.ConversationSummary, waiting: readonly api.OpenPrompt[]): boolean {
  return row.running && !waiting.some((prompt) => prompt.conversation_id === row.id);
}

let latest = 0;

/** Reads the first page of a list. Only the newest reading counts. */
export async function refreshList(name: api.ListName = getState().list.name): Promise<void> {
  const mine = ++latest;
  setState(({ list }) => (list.name === name ? {} : { list: { ...list, name, rows: [], nextBefore: null, state: 'loading' } }));
  try {
    const { conversations: rows, next_before } = await api.listConversations(name);
    if (mine === latest) setState({ list: { name, rows, nextBefore: next_before ?? null, state: 'ready' } });
  } catch {
    if (mine === latest) setState(({ list }) => ({ list: { ...list, state: 'failed' } }));
  }
}

export async function loadMore(): Promise<void> {
  const { name, nextBefore } = getState().list;
  if (nextBefore === null) return;
  const mine = ++latest;
  try {
    const page = await api.listConversations(name, nextBefore);
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

/** Puts a conversation on top of the list, or into the archive, or takes it out of there. */
export async function place(id: string, change: { pinned?: boolean; archived?: boolean }): Promise<Refusal | null> {
  try {
    await api.changeConversation(id, change);
    if (change.archived !== undefined) leaveList(id);
    await refreshList();
    searchAgain();
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

/** Deletes a conversation. It can be restored, unless that is for good. */
export async function remove(id: string, forGood: boolean): Promise<Refusal | null> {
  try {
    await api.deleteConversation(id, forGood);
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.code !== 'not_found') return refusal;
  }
  leaveList(id);
  searchAgain();
  return null;
}

/** Undoes a deletion. */
export async function restore(id: string): Promise<Refusal | null> {
  try {
    await api.restoreConversation(id);
  } catch (error) {
    return asRefusal(error);
  }
  await Promise.all([refreshList(), refreshWaiting()]);
  searchAgain();
  return null;
}

function leaveList(id: string): void {
  setState(({ list, unfinished }) => ({
    list: { ...list, rows: list.rows.filter((row) => row.id !== id) },
    unfinished: unfinished?.summary.id === id ? null : unfinished,
  }));
}

/** The open prompts of all conversations. If they cannot be read, those that are known stay. */
export async function refreshWaiting(): Promise<Refusal | null> {
  try {
    setState({ waiting: await api.openPrompts() });
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

/** Reads the open prompts now and again while the page is visible: other conversations do not tell this page. */
export function followWaiting(everyMs: number): () => void {
  const timer = setInterval(() => document.visibilityState === 'visible' && void refreshWaiting(), everyMs);
  return () => clearInterval(timer);
}
