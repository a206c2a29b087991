/** Moving the focus to the composer, and whether it may be moved at all. */

import { currentDraft, getState, setDraft } from '../state/store';
import { isEditable } from '../ui/focus';

/** The id of the composer's text field. */
export const COMPOSER_ID = 'composer';

/** On a phone the on-screen keyboard would cover the messages, so the messages get the focus there. */
export function focusComposer(): void {
  const fine = window.matchMedia('(pointer: fine)').matches;
  const target = fine ? document.getElementById(COMPOSER_ID) : document.querySelector<HTMLElement>('[data-view]');
  target?.focus({ preventScroll: true });
}

/** Appends text that was typed elsewhere to the draft, and moves the focus there. */
export function continueInComposer(text: string): void {
  setDraft({ text: currentDraft(getState()).text + text });
  document.getElementById(COMPOSER_ID)?.focus();
}

/** Whether the focus may be moved: nobody writes, and nobody moved it elsewhere on purpose. */
export function isFocusFree(): boolean {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return true;
  if (isEditable(focused)) return focused.id === COMPOSER_ID && (focused as HTMLTextAreaElement).value === '';
  return focused.closest('main') !== null && focused.closest('[data-card]:not([data-card=closed])') === null;
}
