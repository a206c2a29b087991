/**
 * The progress in a recipe: servings, and what is checked off. Stored in the browser
 * for the last recipes, without any of their text.
 */

import { useState } from 'react';

import { readLocal, writeLocal } from '../../browser/local_storage';
import { isFields } from '../../net/decode';

export interface Progress {
  /** Null for as many as the recipe says. */
  servings: number | null;
  done: readonly string[];
}

interface Kept extends Progress {
  id: string;
}

const KEY = 'cooking';
const MOST_RECIPES = 20;
const NOTHING: Progress = { servings: null, done: [] };

export function useProgress(id: string): [Progress, (change: Partial<Progress>) => void] {
  const [progress, setProgress] = useState(() => progressOf(id));
  const change = (fresh: Partial<Progress>) => {
    const next = { ...progress, ...fresh };
    setProgress(next);
    keepProgress(id, next);
  };
  return [progress, change];
}

export function progressOf(id: string): Progress {
  return kept().find((one) => one.id === id) ?? NOTHING;
}

/** The newest comes first, and the oldest is dropped. */
export function keepProgress(id: string, { servings, done }: Progress): void {
  const others = kept().filter((one) => one.id !== id);
  const begun = servings !== null || done.length > 0;
  const all = begun ? [{ id, servings, done }, ...others].slice(0, MOST_RECIPES) : others;
  writeLocal(KEY, all.length === 0 ? null : JSON.stringify(all));
}

/** The key of a line, from its position and a hash of its text: a line that was changed is not checked off any more. */
export function lineKey(place: string, text: string): string {
  let hash = 0x811c9dc5;
  for (const sign of text) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  return `${place}.${(hash >>> 0).toString(36)}`;
}

/** Validated: what is stored may be from another version, or edited. */
function kept(): Kept[] {
  try {
    const list: unknown = JSON.parse(readLocal(KEY) ?? '[]');
    return Array.isArray(list) ? list.filter(isFields).flatMap(asKept) : [];
  } catch {
    return [];
  }
}

function asKept({ id, servings, done }: Record<string, unknown>): Kept[] {
  if (typeof id !== 'string') return [];
  const lines = Array.isArray(done) ? done.filter((line) => typeof line === 'string') : [];
  const whole = typeof servings === 'number' && Number.isInteger(servings) && servings >= 1 && servings <= 99;
  return [{ id, servings: whole ? servings : null, done: lines }];
}
