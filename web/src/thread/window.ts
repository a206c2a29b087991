/**
 * Which rows are drawn: those in view and some around them. What was drawn once
 * is remembered by its height, and a gap of that height stands for it; what was
 * never drawn is above, and is fetched when the reader comes near the top. Pure.
 */

export interface Window {
  /** The first row that was ever drawn: the scrolled area begins with it. */
  lowest: number;
  /** The rows that are drawn: from here … */
  from: number;
  /** … up to, but without, this one. */
  to: number;
}

/** How many rows are drawn beyond what is seen. */
const AROUND = 12;
/** How many are fetched at the top at once. */
const STEP = 16;
/** How near the top is near. */
const NEAR = 900;
/** How many are drawn at the end, where one begins to read. */
const AT_END = 24;

export function atEnd(total: number): Window {
  const from = Math.max(0, total - AT_END);
  return { lowest: from, from, to: total };
}

export interface Scrolled {
  /** How far the area is scrolled, and how much of it is seen. */
  top: number;
  view: number;
  /** The height of each row, gaps included; 0 for rows that were never drawn. */
  heights: readonly number[];
  /** Rows from here on must stay, whatever is seen. */
  keepFrom: number;
}

/** The window for where the reader is now; the same one if it will do. */
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

/** The row at a height of the area; the last one if it is beyond the end. */
function rowAt(heights: readonly number[], lowest: number, height: number): number {
  let sum = 0;
  for (let at = lowest; at < heights.length; at += 1) {
    sum += heights[at] ?? 0;
    if (sum > height) return at;
  }
  return Math.max(lowest, heights.length - 1);
}

/** What stands for rows that are not drawn. */
export function gap(heights: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += heights[at] ?? 0;
  return sum;
}
