/** What is changed in the trees between markdown and the page. */

import type { Element, ElementContent, Nodes as HastNodes, Root } from 'hast';
import type { Nodes } from 'mdast';

import { normalLabel } from './blocks';

/** The first letter that has a direction says the direction of a list, a quote or a table. */
export function directionOf(text: string): 'rtl' | 'ltr' {
  const letter = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter) ? 'rtl' : 'ltr';
}

/**
 * Every item has paragraphs, and says whether there is space between them: so an item is the same whatever stands in
 * the items after it.
 */
export function remarkItems() {
  return (tree: Nodes): void => {
    each(tree, (node) => {
      if (node.type === 'list') node.spread = true;
      if (node.type !== 'listItem') return;
      if (node.spread === true) node.data = { ...node.data, hProperties: { dataLoose: '' } };
      node.spread = true;
    });
  };
}

export interface NoteOptions {
  /** What the ids of this text begin with. */
  prefix: string;
  numbers: string;
  /** What the numbers mean, for screen readers. */
  label: string;
}

/** Footnotes are numbered over the whole text; the notes themselves are shown at its end. */
export function remarkNotes({ prefix, numbers, label }: NoteOptions) {
  const known = (numbers === '' ? {} : JSON.parse(numbers)) as Record<string, number | undefined>;
  return (tree: Nodes): void => {
    each(tree, (node) => {
      if (!('children' in node)) return;
      node.children = (node.children as Nodes[]).filter((child) => child.type !== 'footnoteDefinition') as typeof node.children;
      for (const child of node.children) {
        if (child.type !== 'footnoteReference') continue;
        const number = known[normalLabel(child.label ?? child.identifier)] ?? 0;
        const reference = child as unknown as { type: string; data?: object };
        // A node of no known type is drawn as its data says.
        reference.type = 'noteReference';
        reference.data = { hName: 'sup', hChildren: [referenceTo(prefix, number, label)] };
      }
    });
  };
}

function referenceTo(prefix: string, number: number, label: string): Element {
  const properties = { href: `#${prefix}${number}`, ariaLabel: `${label} ${number}` };
  return { type: 'element', tagName: 'a', properties, children: [{ type: 'text', value: String(number) }] };
}

const OWN_DIRECTION = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'td', 'th']);
const WHOLE_DIRECTION = new Set(['ul', 'ol', 'blockquote', 'table']);

/** U-4: each block has its own direction. */
export function rehypeDirections() {
  return (tree: Root): void => {
    each<HastNodes>(tree, (node) => {
      if (node.type !== 'element') return;
      if (OWN_DIRECTION.has(node.tagName)) node.properties['dir'] = 'auto';
      else if (WHOLE_DIRECTION.has(node.tagName)) node.properties['dir'] = directionOf(textOf(node));
    });
  };
}

/** What is taken of a part: its items, its rows, or the words of a paragraph. Whatever else stands there is kept in the last one. */
export type Taken = 'all' | 'items' | 'head' | 'rows' | 'words';

const WITHIN: Record<Exclude<Taken, 'all' | 'words'>, { around: string[]; within: string }> = {
  items: { around: ['ul', 'ol'], within: 'li' },
  head: { around: ['table'], within: 'thead' },
  rows: { around: ['table', 'tbody'], within: 'tr' },
};

export function rehypeTake(taken: Taken) {
  return (tree: Root): void => {
    if (taken === 'all') return;
    if (taken === 'words') {
      tree.children = tree.children.flatMap((node) => (node.type === 'element' && node.tagName === 'p' ? node.children : [node]));
      return;
    }
    const { around, within } = WITHIN[taken];
    const found: Element[] = [];
    const rest: ElementContent[] = [];
    const look = (nodes: readonly ElementContent[]) => {
      for (const node of nodes) {
        if (node.type === 'element' && node.tagName === within) found.push(node);
        else if (node.type === 'element' && around.includes(node.tagName)) look(node.children);
        else if (!(node.type === 'text' && node.value.trim() === '') && !(taken === 'rows' && isHead(node))) rest.push(node);
      }
    };
    look(tree.children as ElementContent[]);
    if (taken === 'items' && found.length > 0) found.at(-1)?.children.push(...rest);
    else if (rest.length > 0 && taken !== 'items') found.push(taken === 'head' ? element('thead', [element('tr', [element('th', rest)])]) : element('tr', [element('td', rest)]));
    else if (rest.length > 0) found.push(element('li', rest));
    tree.children = found;
  };
}

const element = (tagName: string, children: ElementContent[]): Element => ({ type: 'element', tagName, properties: {}, children });
const isHead = (node: ElementContent) => node.type === 'element' && node.tagName === 'thead';

/** The beginning of the text of an element, in lines. */
export function textOf(node: Element): string {
  let text = '';
  each<HastNodes>(node, (one) => {
    if (one.type === 'text' && text.length < 200) text += one.value;
  });
  return text;
}

function each<T extends { type: string }>(node: T, visit: (node: T) => void): void {
  visit(node);
  for (const child of (node as { children?: T[] }).children ?? []) each(child, visit);
}
