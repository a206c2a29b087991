import { describe, expect, it } from 'vitest';

import { atEnd, gap, type Window, windowAt } from './window';

const VIEW = 800;
const heights = (total: number, drawnFrom: number) => Array.from({ length: total }, (_, at) => (at >= drawnFrom ? 100 : 0));
const none = Infinity;

describe('the rows that are drawn', () => {
  it('are the last ones at first', () => {
    expect(atEnd(1000)).toEqual({ lowest: 976, from: 976, to: 1000 });
    expect(atEnd(7)).toEqual({ lowest: 0, from: 0, to: 7 });
  });

  it('cover what is seen, wherever the reader goes', () => {
    let now: Window = { lowest: 0, from: 0, to: 1000 };
    for (const top of [0, 50_000, 50_400, 90_000, 12_345, 99_200]) {
      now = windowAt(now, { top, view: VIEW, heights: heights(1000, 0), keepFrom: none });
      expect(now.from, `${top}`).toBeLessThanOrEqual(Math.max(0, Math.floor(top / 100) - 5));
      expect(now.to, `${top}`).toBeGreaterThanOrEqual(Math.min(1000, Math.ceil((top + VIEW) / 100) + 5));
      expect(now.to - now.from, `${top}`).toBeLessThan(100);
    }
  });

  it('stay as they are while the reader moves a little', () => {
    const area = { view: VIEW, heights: heights(1000, 0), keepFrom: none };
    const now = windowAt({ lowest: 0, from: 0, to: 1000 }, { ...area, top: 50_000 });
    expect(windowAt(now, { ...area, top: 50_300 })).toBe(now);
  });

  it('grow at the top when the reader comes near it, until there is no more', () => {
    let now = atEnd(100);
    for (let times = 0; times < 10; times += 1) {
      now = windowAt(now, { top: 0, view: VIEW, heights: heights(100, now.lowest), keepFrom: none });
    }
    expect(now).toMatchObject({ lowest: 0, from: 0 });
  });

  it('keep what waits for an answer', () => {
    const now = windowAt({ lowest: 0, from: 0, to: 200 }, { top: 0, view: VIEW, heights: heights(200, 0), keepFrom: 199 });
    expect(now.to).toBe(200);
  });

  it('and what stands for the others has their height', () => {
    expect(gap(heights(10, 4), 0, 6)).toBe(200);
  });
});
