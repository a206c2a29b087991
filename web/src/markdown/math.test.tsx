// @vitest-environment jsdom

import { render, waitFor } from '@testing-library/react';
import { beforeAll, describe, expect, it } from 'vitest';

import { Markdown } from './Markdown';
import { drawFormula, type MathPart } from './math';
import { isFormula } from './math_syntax';

// The chunk that draws formulas is loaded when the first one is shown.
beforeAll(async () => {
  const { container, unmount } = render(<Markdown text="$x^2$" />);
  await waitFor(() => {
    if (!container.querySelector('math')) throw new Error('it is not drawn yet');
  });
  unmount();
});

const formulas = (text: string, streaming = false) => {
  const { container, unmount } = render(<Markdown text={text} streaming={streaming} />);
  const all = [...container.querySelectorAll('math')].map((one) => (one.getAttribute('display') === 'block' ? `[${one.textContent}]` : one.textContent));
  const shown = container.textContent ?? '';
  unmount();
  return { all, shown };
};

/** U-9: formulas in the four ways in which they are written. */
describe('formulas', () => {
  it.each([
    ['Let $x$ be', ['x']],
    ['$a_1*b_2*c$ is no emphasis', ['a1∗b2∗c']],
    ['\\(a < b\\) and \\[a > b\\]', ['a<b', '[a>b]']],
    ['in a sentence $$a+b$$ too', ['[a+b]']],
    ['$$\na+b\n$$', ['[a+b]']],
    ['$$ a+b $$', ['[a+b]']],
    ['\\[\na\n+b\n\\]', ['[a+b]']],
    ['Text before\n$$\na+b\n$$\nand after', ['[a+b]']],
    ['1. one\n   $$\n   a+b\n   $$\n2. $c$', ['[a+b]', 'c']],
    ['> $$\n> a\n> + b\n> $$', ['[a+b]']],
    ['- x\n\n  \\[\n  a\n  \\]\n', ['[a]']],
    ['| f | g |\n|---|---|\n| $a$ | \\(b\\) |', ['a', 'b']],
    ['The $5$ of them', ['5']],
    ['$$a$$.', ['[a.]']],
  ])('%j', (text, expected) => expect(formulas(text).all.map((one) => one?.replace(/[\u2061-\u2064]/g, ''))).toEqual(expected));

  /** What a dollar or a backslash means elsewhere stays. */
  it.each([
    'It costs $5 and $10.', 'From $5-$10 a month', '$20/month, or $200/year', 'US$5 and A$7', '$HOME and $PATH', 'set $HOME/$USER', 'Between $1,000 (or about €900) and $2,000',
    '`$x$` is code', '\\$x\\$ is escaped', 'a $ b $ c', 'It is $5 per user plus a $3 fee', '$5k in cash and 10$ more', 'one $ alone', '\\(optional\\) word', '\\[1\\] a citation', 'pay 5$ or 6$ now', 'Earn $$ fast', '$$ is slang', 'from $100 to$', '\\[ \\] to do',
  ])('%j has none', (text) => expect(formulas(text).all).toEqual([]));

  it('do not hide what follows one that does not end', () => {
    expect(formulas('$$\na + b\n\nThe rest.').shown).toContain('The rest.');
    expect(formulas('\\[\na + b\n\nThe rest.').shown).toContain('a + b');
  });

  it('show no marks while they are written, and their source until they can be drawn', () => {
    const text = 'So \\(\\frac{a}{b}\\) is, and\n\n$$\n\\frac{c}{d}\n$$\n\nit.';
    for (let end = 1; end <= text.length; end += 1) expect(formulas(text.slice(0, end), true).shown, `${end}`).not.toMatch(/\$|\\[([\])]/);
  });

  it('are told from prices', () => {
    expect(['x', 'n+1', '2n', 'f(x)', '\\alpha', 'ABC', '10\\%', 'a, b'].filter((one) => !isFormula(one))).toEqual([]);
    expect(['5 and ', ' x', '5 for the book and ', '20/month, or 10', 'HOME and more', '5/day and 10'].filter(isFormula)).toEqual([]);
  });
});

const partsIn = (part: MathPart): Exclude<MathPart, string>[] => (typeof part === 'string' ? [] : [part, ...part.children.flatMap(partsIn)]);

/** U-5, FAULTS 26: a formula can only draw a formula. */
describe('hostile formulas', () => {
  const HOSTILE = [
    '\\href{javascript:alert(1)}{x}', '\\url{https://evil.example}', '\\includegraphics{https://evil.example/p.png}', '\\class{fixed inset-0}{x}', '\\id{composer}{x}',
    '\\style{position:fixed;inset:0}{x}', '\\data{x=1}{y}', '\\htmlData{a=b}{x}', '\\htmlStyle{background:url(https://evil.example)}{x}',
    '\\text{<img src=x onerror=alert(1)>}', '\\color{red;background:url(https://evil.example)}x', '\\textcolor{#fff;}{x}', '\\label{a"onload=alert(1)}x', '\\unicode{x3c}',
  ];

  it.each(HOSTILE)('%s', (tex) => {
    const drawn = drawFormula(tex, true);
    for (const { element, attributes, style } of drawn === null ? [] : partsIn(drawn)) {
      expect(element).toMatch(/^(?:math|m[a-z]+|none)$/);
      expect(Object.keys(attributes).filter((name) => /^(?:on|href|src|id|style|xlink|data)/i.test(name))).toEqual([]);
      expect(JSON.stringify([attributes, style])).not.toMatch(/evil|javascript|fixed|url\(/);
    }
    const { container } = render(<Markdown text={`$$${tex}$$`} />);
    expect(container.querySelectorAll('img, a[href*=evil], script, [id], [onload], [onerror], .fixed')).toHaveLength(0);
  });

  it('end, however they expand', () => {
    const bombs = [
      '\\def\\a{\\a}\\a', '\\def\\a{xx}\\def\\b{\\a\\a}\\def\\c{\\b\\b\\b\\b}'.repeat(1) + '\\c'.repeat(600), '\\newcommand{\\f}[1]{\\f{#1#1}}\\f{x}', `${'{'.repeat(3_000)}x${'}'.repeat(3_000)}`,
      `${'\\frac{'.repeat(600)}x`, `${'\\sqrt{'.repeat(500)}x${'}'.repeat(500)}`, 'x'.repeat(50_000), `${'a^{'.repeat(900)}b${'}'.repeat(900)}`, '\\begin{matrix}'.repeat(200),
    ];
    for (const tex of bombs) {
      const began = performance.now();
      drawFormula(tex, true);
      expect(performance.now() - began, tex.slice(0, 40)).toBeLessThan(2_000);
    }
    expect(drawFormula('\\def\\a{\\a}\\a', true)).toBeNull();
  });

  it('take no room beyond their place', () => {
    const drawn = drawFormula('\\rule{9999em}{9999em}\\kern{-500em}x', true);
    for (const { attributes, style } of drawn === null ? [] : partsIn(drawn)) {
      for (const value of Object.values({ ...attributes, ...style })) expect(Math.abs(Number.parseFloat(value)) || 0, value).toBeLessThanOrEqual(100);
    }
  });
});
