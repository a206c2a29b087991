/** Code in parts of some lines: while code streams in, only the last part changes. Pure. */

const MOST_LINES = 20;
const MOST_LETTERS = 1_000;

/** Each part but the last ends with a line, and stays as it is when the code goes on. */
export function partsOf(code: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  let lines = 0;
  for (;;) {
    const end = code.indexOf('\n', at);
    if (end < 0) break;
    at = end + 1;
    lines += 1;
    if (lines < MOST_LINES && at - from < MOST_LETTERS) continue;
    parts.push(code.slice(from, at));
    from = at;
    lines = 0;
  }
  if (from < code.length || parts.length === 0) parts.push(code.slice(from));
  return parts;
}
