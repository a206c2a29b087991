/**
 * Splits markdown into blocks of which only the last one can still change, so that
 * only it is parsed again while text streams in. Pure.
 *
 * It is split at a blank line outside of a code fence, if the next line cannot
 * continue what came before (a list, an indented or quoted part). A text with
 * definitions (`[name]: …`) is one block, since they apply to all of it.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CONTINUES = /^(?:\s|[-*+]\s|\d{1,9}[.)]\s|>|\|)/;
/** The first letters of a line that may still become one of those. */
const MAY_CONTINUE = /^(?:[-*+]|\d{1,9}[.)]?)$/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

export function blocksOf(text: string): string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  let from = 0;
  let at = 0;
  let fence: string | null = null;
  let blank = false;
  while (at < text.length) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end);
    const mark = FENCE.exec(line)?.[1] ?? null;
    const belongs = CONTINUES.test(line) || (end === text.length && MAY_CONTINUE.test(line));
    if (fence === null && blank && line.trim() !== '' && !belongs) {
      blocks.push(text.slice(from, at));
      from = at;
    }
    if (mark !== null) fence = nextFence(fence, mark, line);
    blank = fence === null && line.trim() === '';
    at = end;
  }
  if (from < text.length) blocks.push(text.slice(from));
  return blocks;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** A fence ends with at least as many of the same marks, and nothing after them. */
function nextFence(open: string | null, mark: string, line: string): string | null {
  if (open === null) return mark;
  const closes = mark[0] === open[0] && mark.length >= open.length && line.trim() === mark;
  return closes ? null : open;
}
