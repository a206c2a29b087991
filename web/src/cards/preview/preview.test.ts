import { describe, expect, it } from 'vitest';

import { diffLines, hunks } from './lines';
import { readableValue, recordRows } from './record';

const shown = (before: string | undefined, after: string | undefined) =>
  diffLines(before, after).map(({ kind, text, oldNumber, newNumber }) => `${{ same: ' ', old: '-', new: '+' }[kind]}${text} ${oldNumber ?? '.'}:${newNumber ?? '.'}`);

/** P-7 */
describe('a difference of texts', () => {
  it('shows what stays, goes and comes, with both numbers', () => {
    expect(shown('a\nb\nc\nd\n', 'a\nc\nx\nd\n')).toEqual([' a 1:1', '-b 2:.', ' c 3:2', '+x .:3', ' d 4:4']);
  });

  it('of something new or something that goes away is one-sided', () => {
    expect(shown(undefined, 'a\nb')).toEqual(['+a .:1', '+b .:2']);
    expect(shown('a', undefined)).toEqual(['-a 1:.']);
    expect(shown('same\n', 'same\n')).toEqual([' same 1:1']);
  });

  it('gives both texts back, whatever they are', () => {
    const texts = ['', 'a', 'a\nb\nc', 'c\nb\na', 'x\nb\ny\nb\nz', 'b\nb\nb'];
    for (const before of texts) {
      for (const after of texts) {
        const lines = diffLines(before, after);
        expect(lines.filter((line) => line.kind !== 'new').map((line) => line.text).join('\n')).toBe(before);
        expect(lines.filter((line) => line.kind !== 'old').map((line) => line.text).join('\n')).toBe(after);
      }
    }
  });

  it('leaves out what is far from any change', () => {
    const before = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
    const lines = hunks(diffLines(before, before.replace('line 15', 'changed')));
    expect(lines.filter((line) => 'skipped' in line)).toEqual([{ skipped: 12 }, { skipped: 11 }]);
  });

  it('counts on from the heads of a long text', () => {
    const head = '@@ -14,4 +14,4 @@\n';
    const before = `${head}a\nb\nc\n@@ -40,1 +40,2 @@\nx\n`;
    expect(shown(before, before.replace('b', 'B').replace('x', 'x\ny'))).toEqual([
      ' @@ -14,4 +14,4 @@ .:.', ' a 14:14', '-b 15:.', '+B .:15', ' c 16:16',
      ' @@ -40,1 +40,2 @@ .:.', ' x 40:40', '+y .:41',
    ]);
  });

  it('takes its time with nothing', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `a${at}`).join('\n');
    expect(diffLines(many, many.replaceAll('a', 'b'))).toHaveLength(10_000);
  });
});

describe('a record before and after', () => {
  it('marks the fields that change', () => {
    const rows = recordRows({ title: 'Soup', servings: 4, gone: 1 }, { title: 'Soup', servings: 6, fresh: [1] });
    expect(rows.map((row) => [row.name, row.changed])).toEqual([['title', false], ['servings', true], ['fresh', true], ['gone', true]]);
  });

  it('reads lists and objects as words', () => {
    expect(readableValue([{ quantity: 1, unit: 'kg', name: 'tomatoes' }, { name: 'salt', unit: null }])).toBe('1 kg tomatoes\nsalt');
    expect(readableValue(false)).toBe('false');
    expect(readableValue(undefined)).toBe('');
  });
});
