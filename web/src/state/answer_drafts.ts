/** Unsent answers to prompts, stored by the id of the prompt or message (P-9, U-6). */

import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

import { isFields } from '../net/decode';
import { readDraft, saveDraft } from './draft_storage';

const nameOf = (id: string) => `answer.${id}`;

/** The state of one part of a card, restored if `fits` accepts what was stored. */
export function useAnswerDraft<T>(id: string, part: string, first: () => T, fits: (value: unknown) => value is T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => {
    const kept = readDraft(nameOf(id), isFields)?.[part];
    return fits(kept) ? kept : first();
  });
  const known = useRef(value);
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    saveDraft(nameOf(id), { ...readDraft(nameOf(id), isFields), [part]: value });
  }, [id, part, value]);
  return [value, setValue];
}

/** Deletes the draft of a prompt that was answered. */
export function forgetAnswerDraft(id: string): void {
  saveDraft(nameOf(id), null);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isAnything = (value: unknown): value is unknown => value !== undefined;
