import { expect, it } from 'vitest';

import { byHour, commonScale } from './hours';

it('counts by the hour, and shows the hours without anything', () => {
  const hour = 3_600_000;
  const now = 100 * hour + 5;
  const happened = [100 * hour, 100 * hour + 1, 98 * hour + 7, 10 * hour].map((at) => ({ at, count: 1 }));
  const hours = byHour([...happened, { at: 97 * hour, count: 5 }], now, 4);
  expect(hours.map(({ count }) => count)).toEqual([5, 1, 0, 2]);
  expect(hours.map(({ from }) => from / hour)).toEqual([97, 98, 99, 100]);
});

it('a height means the same in every plot', () => {
  const now = 100 * 3_600_000;
  const answers = [{ at: now, count: 27 }];
  const noticed = [{ at: now, count: 1 }];
  expect(commonScale([answers, noticed], now)).toBe(27);
  expect(commonScale([[], []], now)).toBe(1);
});
