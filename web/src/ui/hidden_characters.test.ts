import { expect, it } from 'vitest';

import { visiblePieces } from './hidden_characters';

/** FAULTS 28: what hides or turns text around is seen. */
it('invisible and bidi characters are made visible', () => {
  const shown = (text: string) => visiblePieces(text).map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text)).join('');
  expect(shown('old/\u202Egol.exe')).toBe('old/[U+202E]gol.exe');
  expect(shown('a\u200Bb\u{E0041}c\uFEFF')).toBe('a[U+200B]b[U+E0041]c[U+FEFF]');
  expect(shown('\u0007')).toBe('[U+0007]');
  expect(shown('tab\tand\nline, Olá 你好')).toBe('tab\tand\nline, Olá 你好');
});
