/**
 * TeX to MathML, as a tree of plain values. Loaded when the first formula is shown.
 *
 * What TeX could do beside drawing a formula is off: links, images, classes, ids and styles of its own, and macros
 * that expand without end. Of the tree only known elements and attributes of MathML are taken over.
 */

import 'temml/dist/Temml-Local.css';
import './math.css';

import temml from 'temml';

/** Longer formulas stay text. */
const LONGEST = 4_000;
/** How many macros may be expanded. */
const MOST_EXPANSIONS = 500;
/** The largest width and height that TeX may ask for, in em. */
const LARGEST: [number, number] = [20, 20];
/** How many elements a formula may have. */
const MOST_ELEMENTS = 4_000;

export type MathPart = string | { element: string; attributes: Record<string, string>; style: Record<string, string>; children: MathPart[] };

const ELEMENTS = new Set([
  'math', 'menclose', 'merror', 'mfrac', 'mi', 'mmultiscripts', 'mn', 'mo', 'mover', 'mpadded', 'mphantom', 'mprescripts', 'mroot',
  'mrow', 'ms', 'mspace', 'msqrt', 'mstyle', 'msub', 'msubsup', 'msup', 'mtable', 'mtd', 'mtext', 'mtr', 'munder', 'munderover', 'none',
]);

const ATTRIBUTES = new Set([
  'accent', 'accentunder', 'columnalign', 'columnlines', 'columnspacing', 'columnspan', 'depth', 'display', 'displaystyle', 'fence',
  'form', 'height', 'largeop', 'linethickness', 'lspace', 'mathbackground', 'mathcolor', 'mathsize', 'mathvariant', 'maxsize', 'minsize',
  'movablelimits', 'notation', 'rowlines', 'rowspacing', 'rspace', 'scriptlevel', 'separator', 'stretchy', 'symmetric', 'voffset', 'width',
]);

/** The tree of a formula; `null` if it is none, or too large. */
export function drawFormula(tex: string, display: boolean): MathPart | null {
  if (tex.length > LONGEST) return null;
  try {
    // oxlint-disable-next-line no-underscore-dangle -- it is how the library gives its tree
    const tree = temml.__renderToMathMLTree(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: false,
      maxExpand: MOST_EXPANSIONS,
      maxSize: LARGEST,
      wrap: display ? 'none' : 'tex',
      macros: {},
    }) as TemmlNode;
    const left = { elements: MOST_ELEMENTS };
    const part = partOf(tree, left);
    return left.elements < 0 ? null : part;
  } catch {
    return null;
  }
}

interface TemmlNode {
  type?: unknown;
  text?: unknown;
  attributes?: Record<string, unknown>;
  classes?: unknown[];
  style?: Record<string, unknown>;
  children?: TemmlNode[];
}

function partOf(node: TemmlNode, left: { elements: number }): MathPart {
  left.elements -= 1;
  if (left.elements < 0) return '';
  if (typeof node.text === 'string') return node.text;
  const known = typeof node.type === 'string' && ELEMENTS.has(node.type);
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(node.attributes ?? {})) {
    const text = bounded(String(value));
    if (known && ATTRIBUTES.has(name) && text !== null) attributes[name] = text;
  }
  const names = (node.classes ?? []).filter((one) => typeof one === 'string' && /^[a-z][\w-]*$/.test(one));
  if (names.length > 0) attributes['className'] = names.join(' ');
  const style: Record<string, string> = {};
  for (const [name, value] of Object.entries(node.style ?? {})) {
    const text = bounded(String(value));
    if (text !== null && !/url|image|expression|[;\\]/i.test(text)) style[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = text;
  }
  return { element: known ? String(node.type) : 'mrow', attributes, style, children: (node.children ?? []).map((child) => partOf(child, left)) };
}

/** The furthest that something is moved backwards, in em: not over the text around the formula. */
const FURTHEST_BACK = 3;

/** A value whose lengths are within bounds; `null` for units that formulas do not need. */
function bounded(value: string): string | null {
  let known = true;
  const text = value.replace(/(-?\d+(?:\.\d+)?|-?\.\d+)([a-z%]*)/gi, (all, number: string, unit: string) => {
    if (!['', '%', 'em', 'ex', 'px', 'pt', 'mu'].includes(unit)) known = /^#/.test(value);
    const scale = unit === 'px' || unit === 'pt' || unit === 'mu' ? 16 : 1;
    if (unit === '' || unit === '%') return all;
    return `${Math.max(-FURTHEST_BACK * scale, Math.min(LARGEST[0] * 2 * scale, Number(number)))}${unit}`;
  });
  return known ? text : null;
}
