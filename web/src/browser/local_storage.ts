/** Settings in the browser's local storage. Without one, nothing is remembered. */

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
