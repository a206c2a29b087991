/** The search of the list: what was typed, and what was found. */

import { create } from 'zustand';

import { type Hit, search, type TitleHit } from '../net/search';

interface Search {
  query: string;
  titles: TitleHit[];
  messages: Hit[];
  nextBefore: string | null;
  state: 'idle' | 'reading' | 'ready' | 'failed';
}

const NOTHING = { titles: [], messages: [], nextBefore: null };

export const useSearch = create<Search>(() => ({ query: '', state: 'idle', ...NOTHING }));

let latest = 0;

/** Searches; what was found before stays until the new is there. Only the newest search counts. */
export async function searchFor(query: string): Promise<void> {
  const mine = ++latest;
  if (query.trim() === '') return useSearch.setState({ query, state: 'idle', ...NOTHING });
  useSearch.setState({ query, state: 'reading' });
  try {
    const { titles, messages, next_before } = await search(query);
    if (mine === latest) useSearch.setState({ titles, messages, nextBefore: next_before ?? null, state: 'ready' });
  } catch {
    if (mine === latest) useSearch.setState({ state: 'failed' });
  }
}

export async function findMore(): Promise<void> {
  const { query, nextBefore } = useSearch.getState();
  if (nextBefore === null) return;
  const mine = ++latest;
  try {
    const page = await search(query, nextBefore);
    if (mine !== latest) return;
    useSearch.setState(({ messages }) => ({ messages: [...messages, ...page.messages], nextBefore: page.next_before ?? null }));
  } catch {
    // The button stays, so it can be pressed again.
  }
}

/** Searches once more, after something was renamed, archived or deleted. */
export function searchAgain(): void {
  const { query, state } = useSearch.getState();
  if (state !== 'idle') void searchFor(query);
}
