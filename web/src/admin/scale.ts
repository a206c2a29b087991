/** Scales of plots: round numbers to read off. Pure. */

/** The values at which a scale from zero has its lines: at most five, and the last is not below the largest value. */
export function ticks(most: number, whole = false): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const wanted = [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= rough) ?? 10 * power;
  const step = whole ? Math.max(1, Math.ceil(wanted)) : wanted;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** Steps that people read durations in, in milliseconds. */
const DURATIONS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000, 60_000, 150_000, 300_000, 600_000];

/** The same for durations. */
export function durationTicks(most: number): number[] {
  if (!(most > 0)) return [0, 1_000];
  const step = DURATIONS.find((one) => one >= most / 4) ?? ticks(most)[1]!;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
}

/** Which of so many points get a label below: as many as fit, at even distances, the last one among them. */
export function labelled(points: number, fit: number): number[] {
  const every = Math.max(1, Math.ceil(points / Math.max(1, fit)));
  return Array.from({ length: points }, (_, at) => at).filter((at) => (points - 1 - at) % every === 0);
}
