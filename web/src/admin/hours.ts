/** How often something happened, hour by hour. Pure. */

export interface Hour {
  /** When it began. */
  from: number;
  count: number;
}

const HOUR = 60 * 60 * 1000;

/** The last hours up to now, the oldest first, also those in which nothing happened. */
export function byHour(times: readonly number[], now: number, hours = 24): Hour[] {
  const last = Math.floor(now / HOUR) * HOUR;
  const counts = new Map<number, number>();
  for (const time of times) {
    const from = Math.floor(time / HOUR) * HOUR;
    counts.set(from, (counts.get(from) ?? 0) + 1);
  }
  return Array.from({ length: hours }, (_, at) => {
    const from = last - (hours - 1 - at) * HOUR;
    return { from, count: counts.get(from) ?? 0 };
  });
}
