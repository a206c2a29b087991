/**
 * Repairs markdown that is still streaming: open emphasis, code, formulas and links are closed,
 * so that their marks do not flash up as text. Pure.
 */

const OPEN_FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n|$)/m;
/** What is open at the end began not longer ago than this. */
const REACH = 4_000;

export function repairIncomplete(block: string): string {
  const from = Math.max(0, block.length - REACH);
  const end = block.slice(from);
  if (OPEN_FENCE.test(block)) return block;
  const text = withoutHalfLink(withoutHalfMark(end));
  return block.slice(0, from) + text + closers(text);
}

/** Marks at the very end may be half of a pair; they are left out until it is known. */
function withoutHalfMark(text: string): string {
  return text.replace(/(?:^|(?<=[\s([]))(?:\*{1,3}|_{1,3}|~{1,2}|`+|\$\$?)$/, '').replace(/!?\[$|\\[([]?$/, '');
}

/** `[text](http://…` shows the text until the URL is complete. */
function withoutHalfLink(text: string): string {
  const line = text.lastIndexOf('\n') + 1;
  const last = text.slice(line).replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, '$1').replace(/!\[([^\]\n]*)$/, '$1');
  return text.slice(0, line) + last;
}

/** Where the last paragraph or item begins. */
function lastParagraph(text: string): number {
  let from = 0;
  for (const { index } of text.matchAll(/\n[ \t]*(?=\n|(?:[-*+]|\d{1,9}[.)])[ \t])/g)) from = index + 1;
  return from;
}

const MARK = /`+|\*{1,3}|~~|\$\$|\\[([]|\\./sy;
const ENDS: Record<string, string | undefined> = { '$$': '$$', '\\(': '\\)', '\\[': '\\]' };

/** The marks that close the emphasis, the code or the formula that is open at the end. */
function closers(text: string): string {
  const open: string[] = [];
  let at = lastParagraph(text);
  while (at < text.length) {
    MARK.lastIndex = at;
    const mark = MARK.exec(text)?.[0];
    if (mark === undefined) {
      at += 1;
      continue;
    }
    const end = mark.startsWith('`') ? mark : ENDS[mark];
    if (end !== undefined) {
      const closed = text.indexOf(end, at + mark.length);
      if (closed < 0) return closing(text, mark, end) + open.reverse().join('');
      at = closed + end.length;
    } else if (mark.startsWith('\\')) {
      at += mark.length;
    } else {
      toggle(open, mark, text[at - 1], text[at + mark.length]);
      at += mark.length;
    }
  }
  return open.reverse().join('');
}

/** The end of a formula; half of it may be there already. */
function closing(text: string, mark: string, end: string): string {
  if (mark.startsWith('`') || text.endsWith(mark)) return end;
  return text.endsWith(end[0] ?? '') ? end.slice(1) : end;
}

function toggle(open: string[], mark: string, before: string | undefined, after: string | undefined): void {
  const canOpen = after !== undefined && !/\s/.test(after);
  const canClose = before !== undefined && !/\s/.test(before);
  if (canClose && open.at(-1) === mark) open.pop();
  else if (canOpen && !(canClose && /\w/.test(before ?? '') && mark === '*')) open.push(mark);
}
