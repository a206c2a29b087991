/**
 * Drafts in the browser's local storage, which survive reloads and logins (U-6):
 * of messages by conversation, of answers by prompt.
 *
 * - A draft belongs to the tenant and access role that wrote it.
 * - It is deleted when it was sent, at log-out, and when it is too old. Number and
 *   size are bounded.
 */

import { EMBEDDING } from '../browser/embedded';

const PREFIX = 'parlor.draft.';
const MOST = 32;
const MOST_CHARACTERS = 64 * 1024;
const OLDEST = 30 * 24 * 3600_000;

interface Entry {
  at: number;
  value: unknown;
}

/** Whose drafts these are; without an owner nothing is stored. */
let owner: string | null = null;

/** Sets the owner, and deletes drafts that are too old. */
export function openDraftsOf(tenant: string, role: string): void {
  // A visitor of another site leaves nothing behind.
  if (EMBEDDING) return;
  owner = `${tenant}.${role}.`;
  for (const [name, entry] of entries()) {
    if (entry === null || Date.now() - entry.at > OLDEST) drop(name);
  }
}

/** The draft of a name, if there is one and it has the right shape. */
export function readDraft<T>(name: string, fits: (value: unknown) => value is T): T | null {
  const value = owner === null ? undefined : read(PREFIX + owner + name)?.value;
  return fits(value) ? value : null;
}

/** Stores a draft; `null` deletes it. */
export function saveDraft(name: string, value: unknown): void {
  if (owner === null) return;
  const key = PREFIX + owner + name;
  const text = value === null ? '' : JSON.stringify({ at: Date.now(), value } satisfies Entry);
  if (text === '' || text.length > MOST_CHARACTERS) return drop(key);
  try {
    if (window.localStorage.getItem(key) === null) makeRoom();
    window.localStorage.setItem(key, text);
  } catch {
    // Private windows may refuse, and a full storage does.
  }
}

/** The drafts whose names begin like this, by the rest of their names. */
export function draftsUnder<T>(beginning: string, fits: (value: unknown) => value is T): Record<string, T> {
  const start = PREFIX + (owner ?? '') + beginning;
  const found = entries().filter(([name, entry]) => owner !== null && name.startsWith(start) && fits(entry?.value));
  return Object.fromEntries(found.map(([name, entry]) => [name.slice(start.length), entry?.value as T]));
}

/** Deletes the drafts of everybody, at log-out. */
export function clearDrafts(): void {
  for (const [name] of entries()) drop(name);
  owner = null;
}

/** Deletes the oldest drafts so that one more fits. */
function makeRoom(): void {
  const all = entries().toSorted(([, a], [, b]) => (a?.at ?? 0) - (b?.at ?? 0));
  for (const [name] of all.slice(0, Math.max(0, all.length - MOST + 1))) drop(name);
}

function entries(): [string, Entry | null][] {
  try {
    return Object.keys(window.localStorage)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => [name, read(name)]);
  } catch {
    return [];
  }
}

function read(name: string): Entry | null {
  try {
    const entry = JSON.parse(window.localStorage.getItem(name) ?? 'null') as Partial<Entry> | null;
    return typeof entry?.at === 'number' ? { at: entry.at, value: entry.value } : null;
  } catch {
    return null;
  }
}

function drop(name: string): void {
  try {
    window.localStorage.removeItem(name);
  } catch {
    // Then it is not there either.
  }
}
