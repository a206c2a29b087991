/** A session that ended: to the form that says so, and back to where one was. */

import { writeLocal } from '../browser/local_storage';
import { clearDrafts } from './draft_storage';
import { getState } from './store';

let leaving = false;

// A page that the browser kept comes back as it was left.
globalThis.window?.addEventListener('pageshow', () => {
  leaving = false;
});

/** To the form, which leads back to this address: it names the conversation that is open. */
export function redirectToLogin(): void {
  if (leaving) return;
  leaving = true;
  const { me } = getState();
  const parameters = new URLSearchParams({ ended: '1', next: window.location.pathname + window.location.search });
  if (me) parameters.set('tenant', me.tenant);
  window.location.replace(`/login?${parameters}`);
}

/** Whoever logs out leaves nothing behind in this browser. */
export function clearPersonalData(): void {
  clearDrafts();
  writeLocal('last', null);
  // How far somebody is with a recipe.
  writeLocal('cooking', null);
}
