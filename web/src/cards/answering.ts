/** Answering a prompt: busy while it is on its way, trouble if it did not fit. */

import { type RefObject, useEffect, useRef, useState } from 'react';

import type { Refusal } from '../net/http';
import type { PromptAnswer } from '../protocol/generated';
import { problemSentences } from '../schema/problems';
import { asSchema } from '../schema/schema';
import { answer } from '../state/conversation';
import { useParlor } from '../state/store';
import { COMPOSER_ID } from '../thread/Composer';
import { isTallerThanView, showInThread } from '../thread/follow';
import { useWords, type Words } from '../words';
import { reasonFor } from '../words/reasons';

export interface Answering {
  busy: boolean;
  trouble: string | null;
  give(answer: PromptAnswer): Promise<void>;
  /** A refusal; it is not looked at whether it fits. */
  dismiss(): Promise<void>;
}

/** `schema` is what the fields of the answer are called by, where it has fields. */
export function useAnswering(id: string, schema?: unknown): Answering {
  const words = useWords();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const healed = useParlor((state) => state.healed);
  useEffect(() => setRefusal((now) => (now?.code === 'offline' ? null : now)), [healed]);
  const held = useRef<Element | null>(null);
  useEffect(() => {
    // What is disabled loses the focus; after an answer that did not fit one goes on where one was.
    if (busy || document.activeElement !== document.body) return;
    if (held.current instanceof HTMLElement) held.current.focus({ preventScroll: true });
  }, [busy]);
  const give = async (given: PromptAnswer) => {
    held.current = document.activeElement;
    setBusy(true);
    setRefusal(null);
    const refused = await answer(id, given);
    // A good answer stays on its way until the stream says that it is closed.
    if (!refused || refused.code === 'prompt_closed') return;
    setBusy(false);
    setRefusal(refused);
  };
  const trouble = refusal && troubleWith(words, schema, refusal);
  return { busy, trouble, give, dismiss: () => give({ response: null, cancelled: true }) };
}

/** What a refusal says: about the fields where it is about fields. */
export function troubleWith(words: Words, schema: unknown, refusal: Refusal): string {
  if (refusal.problems.length === 0) return reasonFor(words, refusal);
  return problemSentences(words, asSchema(schema), refusal.problems);
}

const EDITABLE = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]';

export function isEditable(element: Element | null): boolean {
  return element?.matches(EDITABLE) === true;
}

/** Whether the focus may be moved: nobody writes, and nobody is elsewhere on purpose. */
export function isFocusFree(): boolean {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return true;
  if (isEditable(focused)) return focused.id === COMPOSER_ID && (focused as HTMLTextAreaElement).value === '';
  return focused.closest('main') !== null && focused.closest('[data-card]:not([data-card=closed])') === null;
}

/** Moves the focus to a card that just opened, if it is free. */
export function useArrivalFocus<T extends HTMLElement>(inner?: RefObject<HTMLElement | null>): RefObject<T | null> {
  const card = useRef<T>(null);
  useEffect(() => {
    if (!isFocusFree()) return;
    const target = inner?.current ?? card.current;
    target?.focus({ preventScroll: true });
    // A card that is taller than the view is read from its beginning.
    const frame = requestAnimationFrame(() => card.current && isTallerThanView(card.current) && showInThread(card.current));
    return () => cancelAnimationFrame(frame);
  }, [inner]);
  return card;
}
