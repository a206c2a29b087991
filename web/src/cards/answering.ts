/** Answering a prompt: `busy` while the answer is sent, `trouble` if it was refused. */

import { type RefObject, useEffect, useRef, useState } from 'react';

import { isFocusFree } from '../composer/focus';
import { type I18n, useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import type { Refusal } from '../net/http';
import type { PromptAnswer } from '../protocol/generated';
import { problemSentences } from '../schema/problems';
import { asSchema } from '../schema/schema';
import { answer } from '../state/conversation';
import { useParlor } from '../state/store';
import { isTallerThanView, showInView } from '../ui/scroll_view';

export interface Answering {
  busy: boolean;
  trouble: string | null;
  give(answer: PromptAnswer): Promise<void>;
  /** Closes the prompt without an answer; nothing is validated. */
  dismiss(): Promise<void>;
}

/** `schema` gives the labels of the answer's fields, if it has some. */
export function useAnswering(id: string, schema?: unknown): Answering {
  const i18n = useI18n();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const reconnects = useParlor((state) => state.reconnects);
  useEffect(() => setRefusal((now) => (now?.code === 'offline' ? null : now)), [reconnects]);
  const held = useRef<Element | null>(null);
  useEffect(() => {
    // A disabled element loses the focus; after a refused answer it gets it back.
    if (busy || document.activeElement !== document.body) return;
    if (held.current instanceof HTMLElement) held.current.focus({ preventScroll: true });
  }, [busy]);
  const give = async (given: PromptAnswer) => {
    held.current = document.activeElement;
    setBusy(true);
    setRefusal(null);
    const refused = await answer(id, given);
    // An accepted answer stays busy until the stream closes the prompt.
    if (!refused || refused.code === 'prompt_closed') return;
    setBusy(false);
    setRefusal(refused);
  };
  const trouble = refusal && troubleWith(i18n, schema, refusal);
  return { busy, trouble, give, dismiss: () => give({ response: null, cancelled: true }) };
}

/** The text of a refusal, by field if it is about fields. */
export function troubleWith(i18n: I18n, schema: unknown, refusal: Refusal): string {
  if (refusal.problems.length === 0) return reasonFor(i18n, refusal);
  return problemSentences(i18n, asSchema(schema), refusal.problems);
}

/** Moves the focus to a card that was just rendered, if the focus is free. */
export function useArrivalFocus<T extends HTMLElement>(inner?: RefObject<HTMLElement | null>): RefObject<T | null> {
  const card = useRef<T>(null);
  useEffect(() => {
    if (!isFocusFree()) return;
    const target = inner?.current ?? card.current;
    target?.focus({ preventScroll: true });
    // A card that is taller than the view is shown from its beginning.
    const frame = requestAnimationFrame(() => card.current && isTallerThanView(card.current) && showInView(card.current));
    return () => cancelAnimationFrame(frame);
  }, [inner]);
  return card;
}
