/**
 * Which rows are rendered: those in view and some around them. A row that was
 * rendered once is replaced by a gap of its height; rows that were never rendered
 * are above, and are added when the reader scrolls near the top. Pure.
 */

export interface Window {
  /** The first row that was ever rendered: the scroll area begins with it. */
  lowest: number;
  /** The rendered rows: from here … */
  from: number;
  /** … up to, but without, this one. */
  to: number;
}

/** How many rows are rendered beyond the visible ones. */
const AROUND = 12;
/** How many are added at the top at once. */
const STEP = 16;
/** How near the top more are added, in pixels. */
const NEAR = 900;
/** How many are rendered at the end at first. */
const AT_END = 24;

export function atEnd(total: number): Window {
  const from = Math.max(0, total - AT_END);
  return { lowest: from, from, to: total };
}

/** The window with a row in its middle. */
export function around({ lowest }: Window, index: number, total: number): Window {
  const from = Math.max(0, index - AROUND);
  return { lowest: Math.min(lowest, from), from, to: Math.min(total, index + 1 + AROUND) };
}

export interface Scrolled {
  /** The scroll position, and the height of the view. */
  top: number;
  view: number;
  /** The height of each row, gaps included; 0 for rows that were never rendered. */
  heights: readonly number[];
  /** Rows from here on stay rendered: an open prompt must not lose what was typed. */
  keepFrom: number;
}

/** The window for a scroll position; the same object if nothing changes. */
export function windowAt(now: Window, { top, view, heights, keepFrom }: Scrolled): Window {
  const total = heights.length;
  const first = rowAt(heights, now.lowest, top);
  const last = rowAt(heights, now.lowest, top + view);
  const grows = top < NEAR && now.lowest > 0;
  const lowest = grows ? Math.max(0, now.lowest - STEP) : now.lowest;
  const to = Math.max(Math.min(total, last + 1 + AROUND), keepFrom < total ? total : 0);
  const from = grows ? lowest : Math.max(lowest, first - AROUND);
  const covered = now.from <= Math.max(lowest, first - AROUND / 2) && now.to >= Math.min(total, last + 1 + AROUND / 2);
  if (!grows && covered && now.to <= total && now.to - now.from <= to - from + 4 * AROUND) return now;
  return { lowest, from, to };
}

/** The row at a height; the last one if it is beyond the end. */
function rowAt(heights: readonly number[], lowest: number, height: number): number {
  let sum = 0;
  for (let at = lowest; at < heights.length; at += 1) {
    sum += heights[at] ?? 0;
    if (sum > height) return at;
  }
  return Math.max(lowest, heights.length - 1);
}

/** The height of rows that are not rendered. */
export function gap(heights: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += heights[at] ?? 0;
  return sum;
}
