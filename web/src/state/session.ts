/** A session that ended: to the form that says so, and back to where one was. */

import type { Me } from '../net/api';
import { forgetAllDrafts } from './drafts';
import { remember } from './memory';
import { getState } from './store';

const PLACE = 'parlor.return';

let leaving = false;

// A page that the browser kept comes back as it was left.
globalThis.window?.addEventListener('pageshow', () => {
  leaving = false;
});

/** To the form. This tab remembers which conversation was open. */
export function leaveForLogin(): void {
  if (leaving) return;
  leaving = true;
  const { me, conversation } = getState();
  const parameters = new URLSearchParams({ ended: '1', next: window.location.pathname + window.location.search });
  if (me) {
    parameters.set('tenant', me.tenant);
    if (conversation.id !== null) write(JSON.stringify({ conversation: conversation.id, tenant: me.tenant }));
  }
  window.location.replace(`/login?${parameters}`);
}

/** The conversation that was open when the session ended; asked once. */
export function placeToReturnTo(me: Me): string | null {
  const text = read();
  write(null);
  try {
    const place = JSON.parse(text ?? 'null') as { conversation?: unknown; tenant?: unknown } | null;
    return place?.tenant === me.tenant && typeof place.conversation === 'string' ? place.conversation : null;
  } catch {
    return null;
  }
}

/** Whoever logs out leaves nothing behind in this browser. */
export function forgetPerson(): void {
  forgetAllDrafts();
  remember('last', null);
  write(null);
}

function read(): string | null {
  try {
    return window.sessionStorage.getItem(PLACE);
  } catch {
    return null;
  }
}

function write(text: string | null): void {
  try {
    if (text === null) window.sessionStorage.removeItem(PLACE);
    else window.sessionStorage.setItem(PLACE, text);
  } catch {
    // Then the chat begins anew.
  }
}
