/**
 * The page of another site around this one (U-12), which `/widget.js` put there. Both say that the chat opens or
 * closes, how much is unread, how it looks, and the token of the visitor. What is said in the chat is never told.
 *
 * The browser shows this page only inside pages of allowed origins. What they say is checked all the same: it must come
 * from the window around this one, from one of those origins, and have its form.
 */

import { isFields } from './decode';

const VERSION = 1;
const LONGEST_TOKEN = 200;
const LARGEST_RADIUS = 24;

export interface SiteLook {
  theme?: 'auto' | 'light' | 'dark';
  /** `#rrggbb`. */
  accent?: string;
  /** Of the corners, in pixels. */
  radius?: number;
  /** Names of typefaces, as in CSS. */
  font?: string;
}

export type Said =
  | { type: 'look'; look: SiteLook }
  | { type: 'token'; token: string }
  | { type: 'no-token' | 'opened' | 'closed' | 'log-out' };

/** What a message says; null if it is not of the form. */
export function readSaid(data: unknown): Said | null {
  if (!isFields(data) || data['parlor'] !== VERSION) return null;
  switch (data['type']) {
    case 'look':
      return { type: 'look', look: readLook(data) };
    case 'token': {
      const { token } = data;
      return typeof token === 'string' && token.length <= LONGEST_TOKEN ? { type: 'token', token } : null;
    }
    case 'no-token':
    case 'opened':
    case 'closed':
    case 'log-out':
      return { type: data['type'] };
    default:
      return null;
  }
}

/** What does not fit is left out. */
function readLook({ theme, accent, radius, font }: Record<string, unknown>): SiteLook {
  return {
    ...(theme === 'auto' || theme === 'light' || theme === 'dark' ? { theme } : {}),
    ...(typeof accent === 'string' && /^#[0-9a-f]{6}$/i.test(accent) ? { accent } : {}),
    ...(typeof radius === 'number' && radius >= 0 && radius <= LARGEST_RADIUS ? { radius } : {}),
    ...(typeof font === 'string' && /^[\w \-,'"]{1,200}$/.test(font) ? { font } : {}),
  };
}

export class Site {
  /** The origin of the page, once it has said something. */
  origin: string | null = null;

  constructor(
    private readonly origins: readonly string[],
    private readonly heard: (said: Said) => void,
  ) {}

  /** Listens, and says so. */
  begin(): void {
    window.addEventListener('message', this.hear);
    // Nobody else can be around this page; who it is of the allowed ones is known when it answers.
    window.parent.postMessage({ parlor: VERSION, type: 'ready' }, '*');
  }

  tell(type: 'token-wanted' | 'close'): void;
  tell(type: 'unread', count: number): void;
  tell(type: string, count?: number): void {
    if (this.origin === null) return;
    window.parent.postMessage({ parlor: VERSION, type, ...(count === undefined ? {} : { count }) }, this.origin);
  }

  readonly hear = ({ source, origin, data }: MessageEvent): void => {
    if (source !== window.parent || !this.origins.includes(origin)) return;
    if (this.origin !== null && this.origin !== origin) return;
    const said = readSaid(data);
    if (!said) return;
    this.origin = origin;
    this.heard(said);
  };
}
