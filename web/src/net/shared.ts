/** Links to share: making them, and what somebody with one reads. */

import type { Message, Timestamp } from '../protocol/generated';
import { ask, askJson } from './http';

export type LinkAudience = 'tenant' | 'anyone';

/** What a link is to be. */
export interface LinkWish {
  audience: LinkAudience;
  /** Whether it shows what follows too. */
  follows: boolean;
  /** Whether it shows what tools gave back. */
  results: boolean;
  expires_in_days?: number;
}

export interface ShareLink {
  id: string;
  made_by: string;
  audience: LinkAudience;
  follows: boolean;
  results: boolean;
  created_at: Timestamp;
  expires_at?: Timestamp;
  opened: number;
  last_opened_at?: Timestamp;
}

export interface SharedView {
  project: string;
  title: string;
  shared_at: Timestamp;
  follows: boolean;
  running: boolean;
  messages: Message[];
  cursor: string;
}

const linksPath = (conversation: string) => `/api/conversations/${encodeURIComponent(conversation)}/links`;
const sharedPath = (token: string) => `/api/shared/${encodeURIComponent(token)}`;

export const listLinks = async (conversation: string) =>
  (await askJson<{ links: ShareLink[] }>(linksPath(conversation))).links;

export const makeLink = (conversation: string, wish: LinkWish) =>
  askJson<ShareLink & { link: string }>(linksPath(conversation), { method: 'POST', json: wish });

export const takeLinkBack = (conversation: string, link: string) =>
  ask(`${linksPath(conversation)}/${encodeURIComponent(link)}`, { method: 'DELETE' });

/** `again` if the page shows it already: then it is not counted as opened. */
export const readShared = (token: string, again: boolean) =>
  askJson<SharedView>(`${sharedPath(token)}${again ? '?again=true' : ''}`);

/** Says when there is more after an event, also after a connection was lost, and when the link has ended. */
export function followShared(token: string, after: string, on: { more(): void; gone(): void }): () => void {
  const notices = new EventSource(`${sharedPath(token)}/events?after=${encodeURIComponent(after)}`);
  notices.addEventListener('open', on.more);
  notices.addEventListener('more', on.more);
  notices.addEventListener('gone', () => {
    notices.close();
    on.gone();
  });
  return () => notices.close();
}

export const sharedImagePath = (token: string, image: string) =>
  `${sharedPath(token)}/images/${encodeURIComponent(image)}`;
