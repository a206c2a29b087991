/** Draws a moment of a recording, and hears what would go to the server. */

import { act, render, type RenderResult } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import type { LogEvent } from '../net/decode';
import { EMPTY } from '../state/model';
import { reduceAll } from '../state/reduce';
import { INITIAL, setState } from '../state/store';
import { rowsOf } from '../thread/rows';
import { RowView } from '../thread/RowView';
import { recording } from './recordings';

export interface Sent {
  path: string;
  method: string;
  body: unknown;
}

/** Answers every request, and remembers it. */
export function recordRequests(answer: (sent: Sent) => Response = () => Response.json({})): Sent[] {
  const heard: Sent[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => {
    const sent = { path, method: init.method ?? 'GET', body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : null };
    heard.push(sent);
    return Promise.resolve(answer(sent));
  });
  return heard;
}

export const refusal = (status: number, code: string, message = 'No.') => Response.json({ error: { code, message } }, { status });

/** The rows of a recording, up to and with the first event of a kind, or so many of its events. */
export async function draw(name: string, until?: string | number, language: 'en' | 'pt' = 'en'): Promise<RenderResult> {
  useLanguage.setState({ language });
  const events = recording(name);
  const end = typeof until === 'string' ? events.findIndex((one) => one.body.event === until) + 1 : until;
  const drawn = await act(async () => render(threadWith(events.slice(0, end))));
  // Cards are fetched when they are first drawn.
  await act(() => import('../cards/prompt_cards'));
  await settle();
  return drawn;
}

/** The rows of a conversation in which this has happened. */
export function threadWith(events: readonly LogEvent[]): ReactNode {
  const conversation = reduceAll(EMPTY, events);
  setState({ ...INITIAL, conversation }, true);
  return rowsOf(conversation, null).map((row) => <RowView key={row.key} row={row} />);
}

/** Lets promises settle. */
export const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 0)));
