/** Reads what a tab shows, again and again while the page is visible; and lists that come page by page. */

import { useCallback, useEffect, useState } from 'react';

import type { Page } from '../net/admin';
import { asRefusal, type Refusal } from '../net/http';

export interface Reading<T> {
  seen: T | null;
  refusal: Refusal | null;
  /** Reads once more, because something was changed. */
  again(): void;
}

/** `read` must stay the same as long as the same thing is read. */
export function useReading<T>(read: (signal: AbortSignal) => Promise<T>, everyMs: number | null = null): Reading<T> {
  const [seen, setSeen] = useState<T | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    const wanted = new AbortController();
    const look = async () => {
      try {
        const read_now = await read(wanted.signal);
        if (wanted.signal.aborted) return;
        setSeen(read_now);
        setRefusal(null);
      } catch (error) {
        if (!wanted.signal.aborted) setRefusal(asRefusal(error));
      }
    };
    void look();
    const timer = everyMs === null ? undefined : setInterval(() => document.visibilityState === 'visible' && void look(), everyMs);
    return () => {
      wanted.abort();
      clearInterval(timer);
    };
  }, [read, everyMs, looks]);
  return { seen, refusal, again: useCallback(() => setLooks((before) => before + 1), []) };
}

export interface PagedReading<Row> {
  /** Null until the first page was read. */
  rows: Row[] | null;
  refusal: Refusal | null;
  /** Reads the next page; null if there is none. */
  more: (() => void) | null;
}

/** A list, page by page. It begins anew when `read` is another. */
export function usePages<Row>(read: (before: string | null, signal: AbortSignal) => Promise<Page<Row>>): PagedReading<Row> {
  const [rows, setRows] = useState<Row[] | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [next, setNext] = useState<string | null>(null);
  /** The page that is wanted; null is the first one. */
  const [wanted, setWanted] = useState<{ read: typeof read; before: string | null }>({ read, before: null });
  if (wanted.read !== read) {
    setWanted({ read, before: null });
    setRows(null);
    setNext(null);
  }
  useEffect(() => {
    const stop = new AbortController();
    const { before } = wanted;
    wanted.read(before, stop.signal).then(
      (page) => {
        if (stop.signal.aborted) return;
        setRows((known) => (before === null ? page.rows : [...(known ?? []), ...page.rows]));
        setNext(page.next);
        setRefusal(null);
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setRefusal(asRefusal(error));
      },
    );
    return () => stop.abort();
  }, [wanted]);
  return { rows, refusal, more: next === null ? null : () => setWanted({ read, before: next }) };
}
