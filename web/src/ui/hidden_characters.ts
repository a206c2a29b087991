/**
 * Characters that hide or turn text around, made visible: what an approval shows
 * must be what runs (FAULTS 28). Pure.
 */

export interface Piece {
  text: string;
  /** Whether it is the code of an invisible character. */
  hidden: boolean;
}

/** Controls (but tab and line break), soft hyphen, joiners, bidi marks, tags, variation selectors, BOM. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these characters are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180E\u200B-\u200F\u202A-\u202E\u2028\u2029\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/u;

export function visiblePieces(text: string): Piece[] {
  if (!HIDDEN.test(text)) return [{ text, hidden: false }];
  const pieces: Piece[] = [];
  for (const character of text) {
    const hidden = HIDDEN.test(character);
    const shown = hidden ? codePoint(character) : character;
    const last = pieces.at(-1);
    if (last && !hidden && !last.hidden) last.text += shown;
    else pieces.push({ text: shown, hidden });
  }
  return pieces;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
