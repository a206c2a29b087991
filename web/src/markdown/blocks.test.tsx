// @vitest-environment jsdom

import { render } from '@testing-library/react';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { describe, expect, it } from 'vitest';

import { blocksOf, groupsOf, sentencesOf } from './blocks';
import { Markdown } from './Markdown';

/** One of everything. */
const PIECES = [
  '# Title', 'A paragraph\nof two lines.', 'Setext\n======', '- one\n- two', '- loose\n\n- items\n\n  with more', '1. a\n2. b\n   - inner\n   - more\n3. c',
  '7) seven\n8) eight', '* star\n+ plus', '```js\n\nconst a = 1;\n\n```', '~~~\nnot closed ```\n~~~', '    indented\n\n    code', '> quoted\n> more', '> - in a quote\n>\n> ```\n> code\n> ```\n\n> another',
  '> lazy\nline', '| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |', 'a | b\n- | -\n1 | `x`', '---', '***', 'Text:\n- directly\n- below', 'Text:\n```\ncode\n```\nmore text', '- item\n\n  ```py\n  x = 1\n  ```\n- next',
  '- [ ] open\n- [x] done', 'See [a] and [the b][b].', '[a]: https://example.org/a', '[b]: <https://example.org/b> "B"', 'Noted[^n] and[^m].', '[^n]: A note\n    with *more*.', '[^m]: Another.', 'Hard  \nbreak and `a_b_c`.',
  '<div>\n- raw\n</div>', '**bold\nover lines**', '1986\\. A year.', '10. ten\n11. eleven', '- a\n  - b\n    - c\n- d', '$$\nx^2 - 1\n$$', 'Costs $5 and $10, but $x^2$ is math.', '\\[\na + b\n\\]', '\\(n\\) items', '- step\n\n  $$\n  y\n  $$\n', '[not a definition]: two words here', '- \n- empty before', 'Line\n1. list of one\n\nLine\n2. no list',
];

/** Pseudo-random, and the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function textOf(seed: number): string {
  const pick = random(seed);
  const length = 2 + pick(7);
  return Array.from({ length }, () => PIECES[pick(PIECES.length)]!).join(pick(5) === 0 ? '\n' : '\n\n');
}

const htmlOf = (text: string, streaming = false) => {
  const { container, unmount } = render(<Markdown text={text} streaming={streaming} />);
  const html = container.innerHTML;
  unmount();
  return html.replace(/note-\w+?-/g, 'note-');
};

describe('blocks of markdown', () => {
  it('end where nothing belongs together', () => {
    const text = '# Title\n\nA paragraph\nof two lines.\n\n- one\n\n- two\n\n  still two\n\n1. a\n2. b\n\n```js\n\nconst a = 1;\n\n```\n\n> quoted\n\n> still quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.';
    expect(blocksOf(text).blocks.map((block) => block.kind)).toEqual(['text', 'text', 'list', 'list', 'code', 'quote', 'quote', 'table', 'text']);
    expect(blocksOf(text).blocks[2]).toEqual({ kind: 'list', ordered: false, start: 1, loose: true, items: ['- one', '- two\n\n  still two'] });
    expect(blocksOf(text).blocks[4]).toEqual({ kind: 'code', language: 'js', code: '\nconst a = 1;\n', closed: true });
  });

  it('never change once another one has begun', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const text = textOf(seed);
      const whole = blocksOf(text).blocks;
      for (let end = 0; end <= text.length; end += 1) {
        const { blocks } = blocksOf(text.slice(0, end), true);
        expect(blocks.slice(0, -1), `${seed} at ${end}: ${JSON.stringify(text.slice(0, end))}`).toEqual(whole.slice(0, Math.max(0, blocks.length - 1)));
      }
    }
  });

  it('and groups of their parts do not change once they are full', () => {
    const rows = Array.from({ length: 500 }, (_, at) => `- item ${at} ${'x'.repeat(at % 70)}`);
    const whole = groupsOf(rows);
    for (let end = 1; end < rows.length; end += 7) {
      const groups = groupsOf(rows.slice(0, end)).slice(0, -1);
      expect(groups).toEqual(whole.slice(0, groups.length));
    }
    expect(whole.join('')).toBe(`${rows.join('\n')}\n`);
  });
});

describe('a text that is split', () => {
  /** U-2: in whatever pieces it came, at its end a text looks as if it had come at once. */
  it('looks in the end as if it had come at once, in any pieces', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const text = textOf(seed);
      const pick = random(seed + 1_000);
      const { container, rerender, unmount } = render(<Markdown text="" streaming />);
      for (let end = 0; end < text.length; end += 1 + pick(12)) rerender(<Markdown text={text.slice(0, end)} streaming />);
      rerender(<Markdown text={text} streaming />);
      rerender(<Markdown text={text} />);
      expect(container.innerHTML.replace(/note-\w+?-/g, 'note-'), `${seed}`).toBe(htmlOf(text));
      unmount();
    }
  });

  it('loses nothing', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const text = `${textOf(seed)}\n\nThe end.`;
      // Footnotes that nothing refers to are not shown, with all that belongs to them.
      if (text.includes('[^')) continue;
      const { container, unmount } = render(<Markdown text={text} />);
      const shown = container.textContent ?? '';
      for (const word of text.replace(/^ {0,3}\[\w\]: .*/gm, '').match(/[a-z]{4,}/g) ?? []) {
        if (/^(?:https|example)$/.test(word)) continue;
        expect(shown, `${seed}: ${word} of ${JSON.stringify(text)}`).toContain(word);
      }
      unmount();
    }
  });

  it('is one paragraph, also if it is a long one', () => {
    const text = Array.from({ length: 120 }, (_, at) => `Sentence ${at} has **some** words, \`co. De\` and *emphasis. Over* two, see [a. Link](https://example.org/${at}).`).join(' ');
    expect(sentencesOf(text).length).toBeGreaterThan(5);
    expect(sentencesOf(text).join(' ')).toBe(text);
    const whole = render(<ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>);
    const split = render(<Markdown text={text} />);
    expect(outline(split.container)).toEqual(outline(whole.container));
    expect(sentencesOf(`${text}\n===`)).toHaveLength(1);
  });

  it('has the parts that it has when it is parsed as a whole', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const text = textOf(seed);
      // Formulas and footnotes are our own. After indented code the parser does not begin a list with another number than 1.
      // Markup is shown as text either way.
      if (/[$]|\\[[(]|\[\^| {4}code\n+\d|<div>/.test(text)) continue;
      const whole = render(<ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>);
      const expected = outline(whole.container);
      whole.unmount();
      const split = render(<Markdown text={text} />);
      split.container.querySelectorAll('figcaption').forEach((one) => one.remove());
      expect(outline(split.container), `${seed}: ${JSON.stringify(text)}`).toEqual(expected);
      split.unmount();
    }
  });
});

const SHOWN = new Set(['H1', 'P', 'UL', 'OL', 'LI', 'BLOCKQUOTE', 'TABLE', 'TR', 'TH', 'TD', 'PRE', 'EM', 'STRONG', 'A', 'HR', 'BR', 'INPUT']);

/** The elements of a text with their words; paragraphs of items left out, which depend on the space between items. */
function outline(root: Element): string[] {
  const all = [...root.querySelectorAll('*')].filter((one) => SHOWN.has(one.tagName) && !(one.tagName === 'P' && one.parentElement?.tagName === 'LI'));
  return all.map((one) => `${one.tagName} ${(one.textContent ?? '').replace(/\s+/g, ' ').trim()}`);
}
