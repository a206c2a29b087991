/** What is found in messages and titles (U-8). */

import type { ConversationId, Timestamp } from '../protocol/generated';
import { askJson } from './http';

/** A part of a text, and where words were found in it: beginning and end of each. */
export interface Excerpt {
  text: string;
  marks: readonly (readonly [number, number])[];
}

export interface TitleHit {
  conversation_id: ConversationId;
  title: Excerpt;
  archived: boolean;
  updated_at: Timestamp;
}

export interface Hit {
  conversation_id: ConversationId;
  message_id: string;
  title: string;
  archived: boolean;
  role: 'user' | 'assistant' | 'tool';
  at: Timestamp;
  excerpt: Excerpt;
}

export interface SearchPage {
  titles: TitleHit[];
  messages: Hit[];
  next_before?: string;
}

/** So much of what was typed is sent: an address has an end. */
const LONGEST = 1_000;

export function search(typed: string, before?: string): Promise<SearchPage> {
  const parameters = new URLSearchParams({ q: typed.slice(0, LONGEST) });
  if (before) parameters.set('before', before);
  return askJson<SearchPage>(`/api/search?${parameters}`);
}
