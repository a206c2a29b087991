/** Which addresses may be followed, and which pictures shown (FAULTS 26). Pure. */

const FOLLOWED = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The address if it may be a link; everything that could run is none. */
export function safeLink(url: string | undefined): string | null {
  // A place in a page of its own is none in this one.
  if (url === undefined || url === '' || url.startsWith('#')) return null;
  try {
    const parsed = new URL(url, window.location.origin);
    return FOLLOWED.has(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** Pictures of this server only: one from elsewhere would leak by being asked for. */
export function isOwnPicture(url: string): boolean {
  try {
    const parsed = new URL(url, window.location.origin);
    return parsed.origin === window.location.origin && /^\/api\/images\/[\w-]+$/.test(parsed.pathname) && parsed.search === '';
  } catch {
    return false;
  }
}
