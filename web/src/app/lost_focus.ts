/**
 * When the element with the focus is removed (a card was answered, a button is
 * gone), the focus moves to the composer, so that a keyboard goes on there.
 */

import { focusComposer } from '../composer/focus';

export function restoreLostFocus(): () => void {
  let last: Element | null = null;
  const noted = (event: FocusEvent) => {
    last = event.target as Element;
  };
  const removed = new MutationObserver(() => {
    if (document.activeElement !== document.body || last === null || last.isConnected) return;
    last = null;
    focusComposer();
  });
  document.addEventListener('focusin', noted);
  removed.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', noted);
    removed.disconnect();
  };
}
