/**
 * Repairs markdown that is still streaming: open emphasis, code and links are closed,
 * so that their marks do not flash up as text. Pure.
 */

const OPEN_FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n|$)/m;

export function repairIncomplete(block: string): string {
  if (OPEN_FENCE.test(block)) return block;
  const text = withoutHalfLink(withoutHalfMark(block));
  return text + closers(text);
}

/** Marks at the very end may be half of a pair; they are left out until it is known. */
function withoutHalfMark(text: string): string {
  return text.replace(/(?:^|(?<=[\s([]))(?:\*{1,3}|_{1,3}|~{1,2}|`+)$/, '').replace(/!?\[$/, '');
}

/** `[text](http://…` shows the text until the URL is complete. */
function withoutHalfLink(text: string): string {
  return text.replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, '$1').replace(/!\[([^\]\n]*)$/, '$1');
}

/** The marks that close the emphasis and code that are open at the end. */
function closers(text: string): string {
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1);
  const open: string[] = [];
  let at = 0;
  while (at < paragraph.length) {
    const mark = /^(?:`+|\*{1,3}|~~)/.exec(paragraph.slice(at))?.[0];
    if (paragraph[at] === '\\') {
      at += 2;
    } else if (mark === undefined) {
      at += 1;
    } else if (mark.startsWith('`')) {
      const end = paragraph.indexOf(mark, at + mark.length);
      if (end < 0) return mark + open.reverse().join('');
      at = end + mark.length;
    } else {
      toggle(open, mark, paragraph[at - 1], paragraph[at + mark.length]);
      at += mark.length;
    }
  }
  return open.reverse().join('');
}

function toggle(open: string[], mark: string, before: string | undefined, after: string | undefined): void {
  const canOpen = after !== undefined && !/\s/.test(after);
  const canClose = before !== undefined && !/\s/.test(before);
  if (canClose && open.at(-1) === mark) open.pop();
  else if (canOpen && !(canClose && /\w/.test(before ?? '') && mark === '*')) open.push(mark);
}
