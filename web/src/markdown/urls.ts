/** Which URLs may be links, and which images may be shown (FAULTS 26). Pure. */

const FOLLOWED = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The URL if it may be a link, by its scheme; `javascript:` and its like may not. */
export function safeLink(url: string | undefined): string | null {
  // A fragment of another document means nothing in this page.
  if (url === undefined || url === '' || url.startsWith('#')) return null;
  try {
    const parsed = new URL(url, window.location.origin);
    return FOLLOWED.has(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** Only images of this server: the request for another one would tell who reads. */
export function isOwnPicture(url: string): boolean {
  try {
    const parsed = new URL(url, window.location.origin);
    return parsed.origin === window.location.origin && /^\/api\/images\/[\w-]+$/.test(parsed.pathname) && parsed.search === '';
  } catch {
    return false;
  }
}
