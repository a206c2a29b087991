/** The session of a visitor, in a page of another site (U-12). */

import type { Timestamp } from '../protocol/generated';
import { ask, askJson } from './http';

/** The session of a visitor of a site that embeds the chat. */
export interface Visit {
  session: string;
  expires_at: Timestamp;
  /** Whether they are found again at the next visit. */
  known: boolean;
  /** Readable in each theme. */
  accent?: { light: string; dark: string };
}

export const beginVisit = (token: string, origin: string, accent: string | undefined) =>
  askJson<Visit>('/api/embed/sessions', { method: 'POST', entering: true, json: { token, origin, ...(accent === undefined ? {} : { accent }) } });

export const endVisit = () => ask('/api/embed/sessions', { method: 'DELETE' });
