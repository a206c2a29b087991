import { expect, it } from 'vitest';

import { durationTicks, labelled, ticks } from './scale';

/** Y-4: a plot can be read off: its lines are at round numbers, and nothing is above the last one. */
it('has its lines at round numbers', () => {
  expect(ticks(0)).toEqual([0, 1]);
  expect(ticks(3, true)).toEqual([0, 1, 2, 3]);
  expect(ticks(27, true)).toEqual([0, 10, 20, 30]);
  expect(ticks(0.07)).toEqual([0, 0.02, 0.04, 0.06, 0.08]);
  expect(durationTicks(0)).toEqual([0, 1_000]);
  expect(durationTicks(1_800)).toEqual([0, 500, 1_000, 1_500, 2_000]);
  for (const most of [1, 2, 9, 11, 99, 1_234, 56_789, 1e6]) {
    const lines = ticks(most, true);
    expect(lines.at(-1), `${most}`).toBeGreaterThanOrEqual(most);
    expect(lines.length, `${most}`).toBeLessThanOrEqual(6);
    expect(durationTicks(most).at(-1), `${most}`).toBeGreaterThanOrEqual(most);
  }
});

it('labels as many points as fit, and the last one', () => {
  expect(labelled(24, 6)).toEqual([3, 7, 11, 15, 19, 23]);
  expect(labelled(7, 10)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelled(1, 4)).toEqual([0]);
});
