/** What somebody has put into a card and not sent, kept by the id of its prompt or message (P-9, U-6). */

import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

import { isFields } from '../net/decode';
import { keepDraft, recallDraft } from './drafts';

const nameOf = (id: string) => `answer.${id}`;

/** The state of a part of a card, as it was left. `fits` says whether what was kept can still be used. */
export function useHalfAnswer<T>(id: string, part: string, first: () => T, fits: (value: unknown) => value is T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => {
    const kept = recallDraft(nameOf(id), isFields)?.[part];
    return fits(kept) ? kept : first();
  });
  const known = useRef(value);
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    keepDraft(nameOf(id), { ...recallDraft(nameOf(id), isFields), [part]: value });
  }, [id, part, value]);
  return [value, setValue];
}

/** It was answered, here or elsewhere. */
export function forgetHalfAnswer(id: string): void {
  keepDraft(nameOf(id), null);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isAnything = (value: unknown): value is unknown => value !== undefined;
