/** Renders recordings, and records the requests that the page makes. */

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

/** Answers every request, and records it. */
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

/** Renders the rows of a recording, up to and with the first event of a name, or so many of its events. */
export async function renderRecording(name: string, until?: string | number, language: 'en' | 'pt' = 'en'): Promise<RenderResult> {
  useLanguage.setState({ language });
  const events = recording(name);
  const end = typeof until === 'string' ? events.findIndex((one) => one.body.event === until) + 1 : until;
  const drawn = await act(async () => render(threadWith(events.slice(0, end))));
  // The chunk of the cards is loaded when the first one is rendered.
  await act(() => import('../cards/prompt_cards'));
  await flushPromises();
  return drawn;
}

/** The rows of a conversation with these events. */
export function threadWith(events: readonly LogEvent[]): ReactNode {
  const conversation = reduceAll(EMPTY, events);
  setState({ ...INITIAL, conversation }, true);
  return rowsOf(conversation, null).map((row) => <RowView key={row.key} row={row} />);
}

/** Lets pending promises settle. */
export const flushPromises = () => act(() => new Promise((resolve) => setTimeout(resolve, 0)));
