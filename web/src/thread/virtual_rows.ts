/** Virtual scrolling: renders the rows in view and some around them. */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

import type { Row } from './rows';
import { around, atEnd, gap, type Window, windowAt } from './window';

/** The gap between two rows in pixels; see `ThreadRows`. */
const BETWEEN = 24;
/** The assumed height of rows that were not rendered yet. */
const UNKNOWN = 80;

export interface VirtualRows {
  rows: readonly Row[];
  above: number;
  below: number;
  /** Whether there are rows above that were never rendered. */
  hasEarlier: boolean;
  earlier(): void;
  /** Renders the row at this index, and those around it. */
  renderAt(index: number): void;
}

interface Places {
  view: RefObject<HTMLElement | null>;
  list: RefObject<HTMLElement | null>;
}

interface Circumstances {
  /** Whether the view sticks to its end. */
  following: boolean;
  conversation: string | null;
  /** Whether rows can be drawn yet. */
  drawn: boolean;
}

export function useVirtualRows({ view, list }: Places, rows: readonly Row[], { following, conversation, drawn }: Circumstances): VirtualRows {
  const heights = useRef(new Map<string, number>());
  const [window, setWindow] = useState<Window>(() => atEnd(rows.length));
  const grown = useRef<{ height: number; top: number } | null>(null);
  const all = useRef(rows);
  all.current = rows;
  const now = useRef(window);
  now.current = window;

  useLayoutEffect(() => {
    heights.current.clear();
    setWindow(atEnd(all.current.length));
  }, [conversation]);

  // While the view sticks to the end, the end is rendered; what is above it stays as it was.
  const atTheEnd = following && window.to !== rows.length;
  useLayoutEffect(() => {
    if (atTheEnd) setWindow(({ lowest }) => ({ ...atEnd(rows.length), lowest: Math.min(lowest, atEnd(rows.length).from) }));
  }, [atTheEnd, rows.length]);

  const known = useCallback((): number[] => {
    const { lowest } = now.current;
    return all.current.map((row, at) => (at < lowest ? 0 : (heights.current.get(row.key) ?? UNKNOWN)));
  }, []);

  const move = useCallback(() => {
    const element = view.current;
    if (!element || !list.current) return;
    const waiting = all.current.findIndex((row) => row.kind === 'prompt' && row.item.closed === null);
    const next = windowAt(now.current, {
      top: element.scrollTop - list.current.offsetTop,
      view: element.clientHeight,
      heights: known(),
      keepFrom: waiting < 0 ? Infinity : waiting,
    });
    if (next === now.current) return;
    if (next.lowest < now.current.lowest) grown.current = { height: element.scrollHeight, top: element.scrollTop };
    setWindow(next);
  }, [view, list, known]);

  // Rows added above do not move what is being read.
  useLayoutEffect(() => {
    const element = view.current;
    if (!element || !grown.current) return;
    element.scrollTop = grown.current.top + element.scrollHeight - grown.current.height;
    grown.current = null;
  }, [window, view]);

  useMeasured(list, heights, window, rows, drawn);

  useEffect(() => {
    const element = view.current;
    if (!element || following) return;
    let frame = 0;
    const onScroll = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(move);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    onScroll();
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', onScroll);
    };
  }, [view, move, following, window]);

  const to = Math.min(window.to, rows.length);
  const from = Math.min(window.from, to);
  const sizes = known();
  return {
    rows: from === 0 && to === rows.length ? rows : rows.slice(from, to),
    above: gap(sizes, window.lowest, from),
    below: gap(sizes, to, rows.length),
    hasEarlier: window.lowest > 0,
    earlier: move,
    renderAt: useCallback((index) => setWindow((before) => around(before, index, all.current.length)), []),
  };
}

/** Measures the rendered rows. */
function useMeasured(list: RefObject<HTMLElement | null>, heights: RefObject<Map<string, number>>, window: Window, rows: readonly Row[], drawn: boolean): void {
  useEffect(() => {
    const measured = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const key = target.getAttribute('data-message-id');
        const height = (target as HTMLElement).offsetHeight;
        if (key !== null && height > 0) heights.current.set(key, height + BETWEEN);
      }
    });
    for (const row of list.current?.querySelectorAll('[data-message-id]') ?? []) measured.observe(row);
    return () => measured.disconnect();
  }, [list, heights, window, rows.length, drawn]);
}
