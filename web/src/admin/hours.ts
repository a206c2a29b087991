/** Counts by hour. Pure. */

/** A number of events at a time. */
export interface Counted {
  at: number;
  count: number;
}

export interface Hour {
  /** When it began. */
  from: number;
  count: number;
}

const HOUR = 60 * 60 * 1000;

/** The highest count of several plots, so that they share one scale. */
export function commonScale(plots: readonly (readonly Counted[])[], now: number): number {
  return Math.max(1, ...plots.flatMap((happened) => byHour(happened, now).map((hour) => hour.count)));
}

/** The last hours up to now, the oldest first, empty ones included. */
export function byHour(happened: readonly Counted[], now: number, hours = 24): Hour[] {
  const last = Math.floor(now / HOUR) * HOUR;
  const counts = new Map<number, number>();
  for (const { at, count } of happened) {
    const from = Math.floor(at / HOUR) * HOUR;
    counts.set(from, (counts.get(from) ?? 0) + count);
  }
  return Array.from({ length: hours }, (_, at) => {
    const from = last - (hours - 1 - at) * HOUR;
    return { from, count: counts.get(from) ?? 0 };
  });
}
