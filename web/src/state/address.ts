/**
 * The address of the conversation that is open (U-6): `/c/{id}`, or `/chat` while
 * there is none. Opening a conversation adds an entry to the browser's history; a
 * new conversation that gets its id replaces the entry.
 */

const HOME = '/chat';
const CONVERSATION = /^\/c\/([\w-]+)\/?$/;

/** The conversation that the address names. */
export function addressed(path: string = window.location.pathname): string | null {
  return CONVERSATION.exec(path)?.[1] ?? null;
}

export function addressOf(conversation: string | null): string {
  return conversation === null ? HOME : `/c/${encodeURIComponent(conversation)}`;
}

/** Sets the address to that of a conversation, as a new entry of the history or in place of the current one. */
export function setAddress(conversation: string | null, how: 'step' | 'same'): void {
  const path = addressOf(conversation);
  if (path === window.location.pathname) return;
  if (how === 'step') window.history.pushState(null, '', path);
  else window.history.replaceState(null, '', path);
}
