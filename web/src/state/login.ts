/** The end of a session: to the login form, and back to the same address. */

import { writeLocal } from '../browser/local_storage';
import { clearDrafts } from './draft_storage';
import { getState } from './store';

let leaving = false;

// A page from the back/forward cache runs on with its old state.
globalThis.window?.addEventListener('pageshow', () => {
  leaving = false;
});

/** Goes to the login form, which leads back to this address. */
export function redirectToLogin(): void {
  if (leaving) return;
  leaving = true;
  const { me } = getState();
  const parameters = new URLSearchParams({ ended: '1', next: window.location.pathname + window.location.search });
  if (me) parameters.set('tenant', me.tenant);
  window.location.replace(`/login?${parameters}`);
}

/** Deletes what this browser stores about a person, at log-out. */
export function clearPersonalData(): void {
  clearDrafts();
  writeLocal('last', null);
  // The service worker ends the subscription when it sees the log-out.
  writeLocal('push', null);
  // The progress in recipes.
  writeLocal('cooking', null);
}
