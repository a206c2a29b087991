/**
 * Splits markdown into blocks, and long blocks into their parts, so that only the last part is parsed again while
 * text streams in. Pure.
 *
 * It is one pass over the lines. Each block is parsed by itself later, so it ends only where CommonMark ends it:
 * what cannot be told apart here stays in one block, whose text goes to the parser as a whole. What applies to the
 * whole text, definitions of links and footnotes, is collected beside the blocks.
 */

import { beginsTable, closesFence, definesLink, endsFormula, type Fence, fenceOf, formulaOf, indentOf, interrupts, isBlank, isHeading, isMarkup, isQuote, isRule, linkLabelOf, markerOf, noteOf } from './lines';

export type Block =
  /** Whatever needs no splitting: a paragraph, a heading, a rule. */
  | { kind: 'text'; text: string }
  | { kind: 'code'; language: string; code: string; closed: boolean }
  /** Each item with its marker. `loose` items have blank lines between them. */
  | { kind: 'list'; ordered: boolean; start: number; loose: boolean; items: string[] }
  /** The first two lines, and the rows. */
  | { kind: 'table'; head: string; rows: string[] }
  | { kind: 'quote'; text: string };

export interface Note {
  label: string;
  text: string;
}

export interface Blocks {
  blocks: Block[];
  /** Lines that define links, by label. */
  links: Map<string, string>;
  /** Footnotes, by label. */
  notes: Map<string, Note>;
}

/** The same label may be written in several ways. */
export const normalLabel = (label: string) => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** `streaming` holds back the last line as long as it may become something else. */
export function blocksOf(text: string, streaming = false, depth = 0): Blocks {
  const lines = (streaming ? withoutHalfLine(text) : text).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const scanner = new Scanner(depth);
  lines.forEach((line, at) => scanner.take(line, lines[at + 1]));
  return scanner.finish(streaming);
}

/** The last line without marks that may begin a list, a rule, code or a table. */
function withoutHalfLine(text: string): string {
  const from = text.lastIndexOf('\n') + 1;
  const last = text.slice(from);
  if (/^\s{0,3}(?:[-*+_=`~#>$]+|\d{1,9}[.)]?|\\|\[\^?[^\]]*\]?:?)\s*$/.test(last)) return text.slice(0, from);
  // The first line of a table is one only together with the second.
  const head = text.lastIndexOf('\n', from - 2) + 1;
  const first = text.slice(head, from);
  if (/^\s{0,3}\|/.test(last) && isBlank(first)) return text.slice(0, from);
  if (!first.includes('|') || !/^\s{0,3}[|:-][-|:\s]*$/.test(last) || beginsTable(first, last)) return text;
  const alone = isBlank(text.slice(text.lastIndexOf('\n', head - 2) + 1, head));
  return text.slice(0, alone && /^\s{0,3}\|/.test(first) ? head : from);
}

interface OpenList {
  kind: 'list';
  block: Extract<Block, { kind: 'list' }>;
  type: string;
  content: number;
  item: string;
  blank: boolean;
  fence: Fence | null;
}

type Open =
  | { kind: 'paragraph' | 'markup' | 'indented'; text: string }
  | { kind: 'formula'; text: string; end: string }
  | { kind: 'code'; block: Extract<Block, { kind: 'code' }>; fence: Fence; lines: string[] }
  | { kind: 'table'; block: Extract<Block, { kind: 'table' }>; head: boolean }
  | { kind: 'quote'; text: string; fence: Fence | null }
  | { kind: 'note'; note: Note; blank: boolean }
  | OpenList;

class Scanner {
  private readonly blocks: Block[] = [];
  private readonly links = new Map<string, string>();
  private readonly notes = new Map<string, Note>();
  private open: Open | null = null;

  constructor(private readonly depth: number) {}

  take(line: string, next: string | undefined): void {
    if (this.open !== null) {
      if (this.goesOn(this.open, line)) return;
      this.close();
    }
    if (!isBlank(line)) this.begin(line, next);
  }

  finish(streaming: boolean): Blocks {
    const last = this.open;
    this.close();
    if (streaming && last?.kind === 'paragraph' && !last.text.endsWith('\n')) {
      // A definition that is still written would change what uses it with every letter.
      const label = linkLabelOf(last.text);
      if (label !== null) this.links.delete(normalLabel(label));
    }
    return { blocks: this.blocks, links: this.links, notes: this.notes };
  }

  /** Whether a line belongs to the open block. */
  private goesOn(open: Open, line: string): boolean {
    switch (open.kind) {
      case 'paragraph':
        if (isBlank(line) || interrupts(line, true)) return false;
        if (linkLabelOf(open.text) !== null && linkLabelOf(line) !== null) return false;
        open.text += line;
        return true;
      case 'markup':
        if (isBlank(line)) return false;
        open.text += line;
        return true;
      case 'indented':
        if (!isBlank(line) && indentOf(line) < 4) return false;
        open.text += line;
        return true;
      case 'formula':
        if (isBlank(line)) return false;
        open.text += line;
        if (endsFormula(line, open.end)) this.close();
        return true;
      case 'code':
        return this.code(open, line);
      case 'table':
        return inTable(open, line);
      case 'quote':
        return inQuote(open, line);
      case 'note':
        return inNote(open, line);
      case 'list':
        return inList(open, line);
    }
  }

  private code(open: Extract<Open, { kind: 'code' }>, line: string): boolean {
    if (closesFence(line, open.fence)) {
      open.block.closed = true;
      this.close();
    } else {
      const spaces = Math.min(open.fence.indent, indentOf(line));
      open.lines.push(line.slice(spaces));
    }
    return true;
  }

  private begin(line: string, next: string | undefined): void {
    if (indentOf(line) > 3) {
      this.open = { kind: 'indented', text: line };
      return;
    }
    const fence = fenceOf(line);
    const marker = markerOf(line);
    const note = noteOf(line);
    const formula = formulaOf(line);
    if (fence) {
      const block: Block = { kind: 'code', language: fence.info.split(/\s/)[0] ?? '', code: '', closed: false };
      this.open = { kind: 'code', block, fence, lines: [] };
    } else if (isRule(line) || isHeading(line)) {
      this.blocks.push({ kind: 'text', text: line });
    } else if (marker) {
      const block: OpenList['block'] = { kind: 'list', ordered: marker.start !== null, start: marker.start ?? 1, loose: false, items: [] };
      this.open = { kind: 'list', block, type: marker.type, content: marker.content, item: line, blank: false, fence: fenceOf(line.slice(marker.content)) };
    } else if (isQuote(line)) {
      const quote = { kind: 'quote' as const, text: '', fence: null };
      inQuote(quote, line);
      this.open = quote;
    } else if (note) {
      this.open = { kind: 'note', note, blank: false };
    } else if (formula) {
      this.open = { kind: 'formula', text: line, end: formula.end };
      if (formula.closed) this.close();
    } else if (isMarkup(line)) {
      this.open = { kind: 'markup', text: line };
    } else if (next !== undefined && beginsTable(line, next)) {
      this.open = { kind: 'table', block: { kind: 'table', head: line, rows: [] }, head: true };
    } else {
      this.open = { kind: 'paragraph', text: line };
    }
  }

  /** What a quote defines holds for the whole text. */
  private definedIn(text: string): void {
    if (this.depth >= DEEPEST || !text.includes(']:')) return;
    const { links, notes } = blocksOf(text, false, this.depth + 1);
    for (const [label, link] of links) if (!this.links.has(label)) this.links.set(label, link);
    for (const [label, note] of notes) if (!this.notes.has(label)) this.notes.set(label, note);
  }

  private close(): void {
    const open = this.open;
    this.open = null;
    if (open === null) return;
    switch (open.kind) {
      case 'note': {
        const label = normalLabel(open.note.label);
        if (!this.notes.has(label)) this.notes.set(label, open.note);
        return;
      }
      case 'code':
        this.blocks.push({ ...open.block, code: open.lines.join('').replace(/\n$/, '') });
        return;
      case 'list':
        this.blocks.push({ ...open.block, items: [...open.block.items, open.item.trimEnd()] });
        return;
      case 'quote':
        this.blocks.push({ kind: 'quote', text: open.text });
        this.definedIn(open.text);
        return;
      case 'table':
        this.blocks.push(open.block);
        return;
      case 'paragraph': {
        const label = linkLabelOf(open.text);
        // What only looks like a definition is shown as text.
        if (label === null || !definesLink(open.text)) this.blocks.push({ kind: 'text', text: open.text });
        else if (!this.links.has(normalLabel(label))) this.links.set(normalLabel(label), open.text.trimEnd());
        return;
      }
      default:
        this.blocks.push({ kind: 'text', text: open.text.trimEnd() });
    }
  }
}

/** How deep quotes inside of quotes are read. */
export const DEEPEST = 4;

function inTable(open: Extract<Open, { kind: 'table' }>, line: string): boolean {
  if (open.head) {
    open.block.head += line;
    open.head = false;
    return true;
  }
  if (isBlank(line) || interrupts(line) || indentOf(line) > 3) return false;
  open.block.rows.push(line);
  return true;
}

/** The line without its mark. A line without one goes on with a sentence, but not with code. */
function inQuote(open: Extract<Open, { kind: 'quote' }>, line: string): boolean {
  const marked = isQuote(line);
  if (!marked && (isBlank(line) || open.fence !== null || interrupts(line))) return false;
  const inner = marked ? line.replace(/^ {0,3}> ?/, '') : line;
  open.fence = fenceAfter(open.fence, inner);
  open.text += inner;
  return true;
}

function inNote(open: Extract<Open, { kind: 'note' }>, line: string): boolean {
  const { note } = open;
  if (isBlank(line)) {
    open.blank = true;
    note.text += '\n';
    return true;
  }
  if (indentOf(line) < 4 && (open.blank || interrupts(line) || linkLabelOf(line) !== null)) return false;
  open.blank = false;
  note.text += line.replace(/^(?: {4}|\t)/, '');
  return true;
}

function inList(open: OpenList, line: string): boolean {
  if (isBlank(line)) {
    open.blank = true;
    open.item += line;
    return true;
  }
  const indent = indentOf(line);
  if (indent >= open.content) {
    open.fence = fenceAfter(open.fence, line.slice(open.content));
    open.item += line;
  } else {
    const marker = markerOf(line);
    if (marker?.type === open.type && (marker.start !== null) === open.block.ordered) {
      if (open.blank) open.block.loose = true;
      open.block.items.push(open.item.trimEnd());
      open.content = marker.content;
      open.fence = fenceOf(line.slice(marker.content));
      open.item = line;
    } else if (marker || open.blank || open.fence !== null || interrupts(line)) {
      return false;
    } else {
      open.item += line;
    }
  }
  open.blank = false;
  return true;
}

function fenceAfter(open: Fence | null, line: string): Fence | null {
  if (open === null) return fenceOf(line);
  return closesFence(line, open) ? null : open;
}

/**
 * Neighbours that are parsed together: enough to be worth it, few enough to be quick. What comes later does not
 * change a group that is full.
 */
export function groupsOf(parts: readonly string[], size = 800): string[] {
  const groups: string[] = [];
  let group = '';
  for (const part of parts) {
    group += part.endsWith('\n') ? part : `${part}\n`;
    if (group.length >= size) {
      groups.push(group);
      group = '';
    }
  }
  if (group !== '') groups.push(group);
  return groups;
}

/** Longer paragraphs are split between sentences. */
const LONG_PARAGRAPH = 3_000;

/** The parts of a long paragraph; one if it is short, or no paragraph. Nothing is open where one ends. */
export function sentencesOf(text: string): string[] {
  if (text.length < LONG_PARAGRAPH || !/^ {0,3}\p{L}/u.test(text) || /\n {0,3}(?:-+|=+)[ \t]*\n?$/.test(text)) return [text];
  const parts: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/[.!?] (?=\p{L})/gu)) {
    const part = text.slice(from, index + 1);
    if (part.length < 800 || !isBalanced(part)) continue;
    parts.push(part);
    from = index + 2;
  }
  return [...parts, text.slice(from)];
}

/** Whether all marks that may belong together are in pairs. */
function isBalanced(text: string): boolean {
  const count = (mark: string) => text.split(mark).length - 1;
  const even = ['`', '*', '_', '~', '$'].every((mark) => count(mark) % 2 === 0);
  return even && count('[') === count(']') && count('(') === count(')') && count('<') === count('>');
}
