/**
 * Settings in the browser's local storage. Without one, nothing is remembered. Inside a page of another site what a
 * visitor does is kept in memory only: they are not whoever uses this browser with Parlor itself.
 */

import { EMBEDDING } from './embedded';

const memory = new Map<string, string>();

export function readLocal(key: string): string | null {
  if (EMBEDDING) return memory.get(key) ?? null;
  try {
    return window.localStorage.getItem(`parlor.${key}`);
  } catch {
    return null;
  }
}

export function writeLocal(key: string, value: string | null): void {
  if (EMBEDDING) {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
    return;
  }
  try {
    if (value === null) window.localStorage.removeItem(`parlor.${key}`);
    else window.localStorage.setItem(`parlor.${key}`, value);
  } catch {
    // Private windows may refuse.
  }
}
