/** What this browser remembers between visits. A browser that remembers nothing is fine too. */

export function readLocal(key: string): string | null {
  try {
    return window.localStorage.getItem(`parlor.${key}`);
  } catch {
    return null;
  }
}

export function writeLocal(key: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(`parlor.${key}`);
    else window.localStorage.setItem(`parlor.${key}`, value);
  } catch {
    // Private windows may refuse.
  }
}
