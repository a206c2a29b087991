/** What applies to a whole text: definitions of links, and footnotes with their numbers. Pure. */

import { type Block, type Blocks, normalLabel, type Note } from './blocks';

export interface Numbered extends Note {
  number: number;
}

export interface References {
  links: ReadonlyMap<string, string>;
  /** The footnotes that something refers to, in the order of their numbers. */
  notes: ReadonlyMap<string, Numbered>;
}

/** What a part of a text needs of the rest: as values that stay equal while the rest grows. */
export interface Needs {
  /** Markdown that is parsed with the part and is not shown. */
  definitions: string;
  /** The numbers of its footnotes, by label. */
  numbers: string;
}

const NO_NEEDS: Needs = { definitions: '', numbers: '' };
const REFERENCE = /\[(\^?)((?:[^[\]\\\n]|\\.){1,200})\]/g;

export function referencesOf({ blocks, links, notes }: Blocks): References {
  const numbered = new Map<string, Numbered>();
  if (notes.size > 0) {
    const count = (text: string) => {
      for (const [, caret, label = ''] of text.matchAll(REFERENCE)) {
        const name = normalLabel(label);
        const note = caret === '^' ? notes.get(name) : undefined;
        if (!note || numbered.has(name)) continue;
        numbered.set(name, { ...note, number: numbered.size + 1 });
      }
    };
    blocks.flatMap(textsOf).forEach(count);
    // A footnote may refer to another one; those that are added here are visited, too.
    for (const note of numbered.values()) count(note.text);
  }
  return { links, notes: numbered };
}

function textsOf(block: Block): string[] {
  switch (block.kind) {
    case 'text':
    case 'quote':
      return [block.text];
    case 'list':
      return block.items;
    case 'table':
      return [block.head, ...block.rows];
    case 'code':
      return [];
  }
}

export function needsOf(text: string, { links, notes }: References): Needs {
  if (!text.includes('[') || (links.size === 0 && notes.size === 0)) return NO_NEEDS;
  const lines = new Set<string>();
  const numbers: Record<string, number> = {};
  for (const [, caret, label = ''] of text.matchAll(REFERENCE)) {
    const name = normalLabel(label);
    const link = caret === '' ? links.get(name) : undefined;
    if (link !== undefined) lines.add(link);
    const note = caret === '^' ? notes.get(name) : undefined;
    if (note) {
      lines.add(`[^${note.label}]: .`);
      numbers[name] = note.number;
    }
  }
  if (lines.size === 0) return NO_NEEDS;
  return { definitions: `\n\n${[...lines].join('\n\n')}`, numbers: JSON.stringify(numbers) };
}
