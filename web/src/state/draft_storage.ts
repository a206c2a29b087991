/**
 * What was typed and not sent, kept in this browser through reloads and logins
 * (U-6): a message by its conversation, a half-given answer by its prompt.
 *
 * - It belongs to whoever is logged in; others do not see it.
 * - It goes when it was sent or answered, when somebody logs out, and when it is
 *   old. There is an end to how many there are and how large one is.
 */

const PREFIX = 'parlor.draft.';
const MOST = 32;
const MOST_CHARACTERS = 64 * 1024;
const OLDEST = 30 * 24 * 3600_000;

interface Entry {
  at: number;
  value: unknown;
}

/** Whose drafts these are; nothing is kept for nobody. */
let owner: string | null = null;

/** Begins to keep drafts, and drops those that are too old. */
export function openDraftsOf(tenant: string, role: string): void {
  owner = `${tenant}.${role}.`;
  for (const [name, entry] of entries()) {
    if (entry === null || Date.now() - entry.at > OLDEST) drop(name);
  }
}

/** What was kept under a name; nothing if it is not there or not what it should be. */
export function readDraft<T>(name: string, fits: (value: unknown) => value is T): T | null {
  const value = owner === null ? undefined : read(PREFIX + owner + name)?.value;
  return fits(value) ? value : null;
}

/** Keeps a draft; `null` forgets it. */
export function saveDraft(name: string, value: unknown): void {
  if (owner === null) return;
  const key = PREFIX + owner + name;
  const text = value === null ? '' : JSON.stringify({ at: Date.now(), value } satisfies Entry);
  if (text === '' || text.length > MOST_CHARACTERS) return drop(key);
  try {
    if (window.localStorage.getItem(key) === null) makeRoom();
    window.localStorage.setItem(key, text);
  } catch {
    // Private windows may refuse, and a full store does.
  }
}

/** The drafts whose names begin like this, by the rest of their names. */
export function draftsUnder<T>(beginning: string, fits: (value: unknown) => value is T): Record<string, T> {
  const start = PREFIX + (owner ?? '') + beginning;
  const found = entries().filter(([name, entry]) => owner !== null && name.startsWith(start) && fits(entry?.value));
  return Object.fromEntries(found.map(([name, entry]) => [name.slice(start.length), entry?.value as T]));
}

/** Whoever logs out leaves nothing behind, of nobody. */
export function clearDrafts(): void {
  for (const [name] of entries()) drop(name);
  owner = null;
}

/** The oldest one goes where there are too many. */
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
    // It is not there, then.
  }
}
