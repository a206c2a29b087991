/** What single lines of markdown begin (CommonMark, GFM). Pure. */

/** The column at which a line's text begins; a tab reaches to the next multiple of four. */
export function indentOf(line: string): number {
  let column = 0;
  for (const letter of line) {
    if (letter === ' ') column += 1;
    else if (letter === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}

export const isBlank = (line: string) => line.trim() === '';

export interface Fence {
  mark: string;
  indent: number;
  info: string;
}

/** The fence that a line opens. */
export function fenceOf(line: string): Fence | null {
  const found = /^( {0,3})(`{3,}|~{3,})(.*)/.exec(line);
  if (!found) return null;
  const [, indent = '', mark = '', info = ''] = found;
  // Marks like these inside of a line are code in a sentence.
  if (mark.startsWith('`') && info.includes('`')) return null;
  return { mark, indent: indent.length, info: info.trim() };
}

/** A fence ends with at least as many of the same marks, and nothing after them. */
export function closesFence(line: string, { mark }: Fence): boolean {
  const text = line.trim();
  return indentOf(line) < 4 && text.length >= mark.length && text === mark[0]?.repeat(text.length);
}

export interface Marker {
  /** What all items of one list have in common: `-`, `*`, `+`, `.` or `)`. */
  type: string;
  start: number | null;
  /** The column at which the item's text begins. */
  content: number;
  empty: boolean;
}

/** The marker of a list item that a line begins with. */
export function markerOf(line: string): Marker | null {
  const found = /^( {0,3})([-*+]|(\d{1,9})([.)]))(?=[ \t\r\n]|$)/.exec(line);
  if (!found || isRule(line)) return null;
  const [all, , mark = '', number, end] = found;
  const rest = line.slice(all.length);
  const empty = isBlank(rest);
  const space = indentOf(' '.repeat(all.length) + rest) - all.length;
  // Text that is indented by more is code inside the item.
  const gap = empty || space > 4 ? 1 : space;
  return { type: end ?? mark, start: number === undefined ? null : Number(number), content: all.length + gap, empty };
}

export const isRule = (line: string) => /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/.test(line.trimEnd());
export const isHeading = (line: string) => /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line.trimEnd());
export const isQuote = (line: string) => /^ {0,3}>/.test(line);
export const isMarkup = (line: string) => /^ {0,3}<[a-zA-Z/!?]/.test(line);
const isUnderline = (line: string) => /^ {0,3}(?:-+|=+)[ \t]*$/.test(line.trimEnd());

/** The label and the text of a footnote whose definition a line begins. */
export function noteOf(line: string): { label: string; text: string } | null {
  const found = /^ {0,3}\[\^([^\]\s[]+)\]:[ \t]*(.*)/s.exec(line);
  return found ? { label: found[1] ?? '', text: found[2] ?? '' } : null;
}

/** The label of the link that a line may define. */
export const linkLabelOf = (line: string) => /^ {0,3}\[(?!\^)((?:[^[\]\\]|\\.){1,200})\]:/.exec(line)?.[1] ?? null;

/** Whether that is the definition of a link, and not a sentence that looks like one. */
export const definesLink = (text: string) =>
  /^ {0,3}\[(?:[^[\]\\]|\\.)+\]:\s*(?:<[^<>\n]*>|[^\s<]\S*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/.test(text);

/** Whether a line ends a paragraph, because it begins something else. In a quote or a list it cannot underline one. */
export function interrupts(line: string, canUnderline = false): boolean {
  if (indentOf(line) > 3) return false;
  const marker = markerOf(line);
  if (marker) return !marker.empty && (marker.start ?? 1) === 1;
  if (fenceOf(line) || isHeading(line) || isQuote(line) || noteOf(line) || formulaOf(line) !== null) return true;
  return isRule(line) && !(canUnderline && isUnderline(line));
}

/** How many cells a line of a table has. */
function cellsIn(line: string): number {
  const inner = line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).length;
}

/** Whether two lines are the head of a table. */
export function beginsTable(line: string, next: string): boolean {
  if (!line.includes('|') || !/^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(next.trimEnd())) return false;
  return next.includes('-') && markerOf(next) === null && cellsIn(line) === cellsIn(next);
}

/**
 * Whether a line begins a displayed formula (`$$` or `\[`): the mark that ends it, and whether it ends in this line
 * already. A line with text behind the end is a sentence.
 */
export function formulaOf(line: string): { end: string; closed: boolean } | null {
  const found = /^ {0,3}(\$\$|\\\[)(.*)/s.exec(line);
  if (!found) return null;
  const [, mark, rest = ''] = found;
  const end = mark === '$$' ? '$$' : '\\]';
  if (!rest.includes(end)) return { end, closed: false };
  return endsFormula(rest, end) ? { end, closed: true } : null;
}

/** Whether a formula ends with a line; a sentence may end with it. */
export function endsFormula(line: string, end: string): boolean {
  const at = line.indexOf(end);
  return at >= 0 && /^[.,;:!?]?[ \t]*$/.test(line.slice(at + end.length).trimEnd());
}
