/** Answering a prompt: busy while it is on its way, trouble if it did not fit. */

import { type RefObject, useEffect, useRef, useState } from 'react';

import type { PromptAnswer } from '../protocol/generated';
import { answer } from '../state/conversation';
import { LET_GO } from '../thread/follow';
import { useWords } from '../words';
import { reasonFor } from '../words/reasons';

export interface Answering {
  busy: boolean;
  trouble: string | null;
  give(answer: PromptAnswer): Promise<void>;
  /** A refusal; it is not looked at whether it fits. */
  dismiss(): Promise<void>;
}

export function useAnswering(id: string): Answering {
  const words = useWords();
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const give = async (given: PromptAnswer) => {
    setBusy(true);
    setTrouble(null);
    const refusal = await answer(id, given);
    // A good answer stays on its way until the stream says that it is closed.
    if (!refusal || refusal.code === 'prompt_closed') return;
    setBusy(false);
    setTrouble(reasonFor(words, refusal));
  };
  return { busy, trouble, give, dismiss: () => give({ response: null, cancelled: true }) };
}

const EDITABLE = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]';

export function isEditable(element: Element | null): boolean {
  return element?.matches(EDITABLE) === true;
}

/** Whether somebody is in the middle of writing something. */
export function isTyping(): boolean {
  const element = document.activeElement;
  if (!isEditable(element)) return false;
  return (element as HTMLInputElement | HTMLTextAreaElement).value !== '';
}

/** Moves the focus to a card that just opened, unless the person is typing. */
export function useArrivalFocus<T extends HTMLElement>(inner?: RefObject<HTMLElement | null>): RefObject<T | null> {
  const card = useRef<T>(null);
  useEffect(() => {
    if (isTyping()) return;
    const target = inner?.current ?? card.current;
    target?.focus({ preventScroll: true });
    const frame = requestAnimationFrame(() => showFromTop(card.current));
    return () => cancelAnimationFrame(frame);
  }, [inner]);
  return card;
}

/** A card that is taller than the view is read from its beginning. */
function showFromTop(card: HTMLElement | null): void {
  const view = card?.closest<HTMLElement>('[data-view]');
  if (!card || !view || card.offsetHeight <= view.clientHeight - 32) return;
  view.dispatchEvent(new Event(LET_GO));
  card.scrollIntoView({ block: 'start' });
}

/** Number keys choose, unless they are being typed somewhere. */
export function useNumberKeys(wanted: boolean, count: number, choose: (index: number) => void): void {
  const latest = useRef(choose);
  latest.current = choose;
  useEffect(() => {
    if (!wanted) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isEditable(document.activeElement)) return;
      const index = Number(event.key) - 1;
      if (!Number.isInteger(index) || index < 0 || index >= Math.min(count, 9)) return;
      event.preventDefault();
      latest.current(index);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [wanted, count]);
}
