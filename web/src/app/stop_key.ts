/**
 * Escape stops the answer that is being written. It never decides a prompt: a turn
 * with an open prompt is stopped with the button, and in a field the key belongs to
 * the field.
 */

import { useEffect } from 'react';

import { COMPOSER_ID } from '../composer/focus';
import { stop } from '../state/conversation';
import { openPrompt } from '../state/branches';
import { getState } from '../state/store';
import { isEditable } from '../ui/focus';

export function useStopKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (openPrompt(getState().conversation) === null && !hasOtherUse()) void stop();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether the key closes something, belongs to a field, or the thread is not shown. */
function hasOtherUse(): boolean {
  const focused = document.activeElement;
  if (isEditable(focused) && focused?.id !== COMPOSER_ID) return true;
  if (document.getElementById(COMPOSER_ID) === null) return true;
  return document.querySelector('dialog[open], [popover]:popover-open') !== null;
}
