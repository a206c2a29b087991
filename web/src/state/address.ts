/**
 * The address of the conversation that is open (U-6): `/c/{id}`, or `/chat` while
 * there is none; pages beside the conversations have addresses of their own. Opening a conversation adds an entry to the browser's history; a
 * new conversation that gets its id replaces the entry.
 */

import { EMBEDDING } from '../browser/embedded';

const HOME = '/chat';
const CONVERSATION = /^\/c\/([\w-]+)\/?$/;

/** The conversation that the address names. */
export function addressed(path: string = window.location.pathname): string | null {
  return CONVERSATION.exec(path)?.[1] ?? null;
}

/** The message that the address names: `/c/{id}#m-{message}`. */
export function addressedMessage(hash: string = window.location.hash): string | null {
  return /^#m-([\w-]+)$/.exec(hash)?.[1] ?? null;
}

export function addressOf(conversation: string | null): string {
  return conversation === null ? HOME : `/c/${encodeURIComponent(conversation)}`;
}

/** What is shown: the conversation, or a page of its own. */
export type Page = 'chat' | 'waiting' | 'settings' | 'admin';

const PAGES: readonly Page[] = ['waiting', 'settings', 'admin'];

/** The part of the settings with one's logins to tool servers. */
export const LOGINS = '#logins';

/** The tabs of the page of administrators, each with an address of its own. */
export const ADMIN_TABS = ['overview', 'people', 'keys', 'prompts', 'decisions', 'blocked', 'servers', 'usage', 'configuration'] as const;

export type AdminTab = (typeof ADMIN_TABS)[number];

/** The address of a tab: the first one is the page itself. */
export const adminPath = (tab: AdminTab): string => (tab === 'overview' ? '/admin' : `/admin/${tab}`);

/** The tab that the address names. */
export function adminTabAt(path: string = window.location.pathname): AdminTab {
  return ADMIN_TABS.find((tab) => path === adminPath(tab)) ?? 'overview';
}

/** The page that the address names. */
export function pageAt(path: string = window.location.pathname): Page {
  if (ADMIN_TABS.some((tab) => path === adminPath(tab))) return 'admin';
  return PAGES.find((page) => path === `/${page}`) ?? 'chat';
}

/** Sets the address to that of a conversation, as a new entry of the history or in place of the current one. */
export function setAddress(conversation: string | null, how: 'step' | 'same', message: string | null = null): void {
  // The address of a frame in another page is nobody's to see.
  if (EMBEDDING) return;
  const path = addressOf(conversation) + (message === null ? '' : `#m-${encodeURIComponent(message)}`);
  // A conversation that gets its id while another page is shown does not take that page's place.
  if (path === window.location.pathname + window.location.hash || (how === 'same' && pageAt() !== 'chat')) return;
  if (how === 'step') window.history.pushState(null, '', path);
  else window.history.replaceState(null, '', path);
}
