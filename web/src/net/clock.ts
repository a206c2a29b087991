/**
 * The server's clock, estimated from `Date` headers. Countdowns end by the server's
 * time, and a phone's clock may be minutes off.
 */

let ahead = 0;

export function noteServerTime(date: string | null, now: number = Date.now()): void {
  const told = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(told)) return;
  // The header has whole seconds, so a smaller difference may be rounding.
  const difference = told + 500 - now;
  ahead = Math.abs(difference) > 1500 ? difference : 0;
}

export function serverNow(now: number = Date.now()): number {
  return now + ahead;
}
