// @vitest-environment jsdom

import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';

import { Markdown } from './Markdown';
import { repairIncomplete } from './repair';
import { isOwnPicture, safeLink } from './urls';

describe('the end of a text that is still written', () => {
  it.each([
    ['some **bold', 'some **bold**'],
    ['some *light', 'some *light*'],
    ['`code', '`code`'],
    ['**bold and `code', '**bold and `code`**'],
    ['half a **', 'half a '],
    ['a [link](https://exam', 'a link'],
    ['a [link](https://example.org) done', 'a [link](https://example.org) done'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['snake_case_name', 'snake_case_name'],
    ['\\*not\\* emphasis', '\\*not\\* emphasis'],
    ['```js\nconst a = `b', '```js\nconst a = `b'],
  ])('%j is read as %j', (text, expected) => expect(repairIncomplete(text)).toBe(expected));

  it('shows no marks of emphasis at any length', () => {
    const text = 'A **bold** word, *light* and `code`, and a [link](https://example.org) too.';
    for (let end = 1; end <= text.length; end += 1) {
      const { container, unmount } = render(<Markdown text={text.slice(0, end)} streaming />);
      expect(container.textContent, `${end}`).not.toMatch(/\*\*|`|\]\(/);
      unmount();
    }
  });
});

describe('a text', () => {
  /** U-4: each text in its own direction, code from the left. */
  it('has the direction of its language', () => {
    const { container } = render(<Markdown text={'שלום\n\n```js\na\n```'} />);
    expect(container.querySelector('.markdown')?.getAttribute('dir')).toBe('auto');
    expect(container.querySelector('pre')?.getAttribute('dir')).toBe('ltr');
  });

  it('leads to its footnotes and back without leaving the page', () => {
    const text = 'Bread rises.[^1]\n\n[^1]: Because of yeast.';
    const { container } = render(<><Markdown text={text} /><Markdown text={text} /></>);
    const [there, second] = [...container.querySelectorAll('a')];
    const back = container.querySelector('button')!;
    expect(container.querySelectorAll('a[target]')).toHaveLength(0);
    expect(document.getElementById(there!.getAttribute('href')!.slice(1)), there!.outerHTML).not.toBeNull();
    expect(second!.getAttribute('href'), 'each text has notes of its own').not.toBe(there!.getAttribute('href'));
    there!.click();
    expect(document.activeElement?.tagName).toBe('LI');
    back.click();
    expect(document.activeElement).toBe(there);
    const ids = [...container.querySelectorAll('[id]')].map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no links to places of other pages', () => {
    const { container } = render(<Markdown text="[top](#intro) and [field](#composer)" />);
    expect(container.querySelectorAll('a')).toHaveLength(0);
  });
});

/** U-5, FAULTS 26: text from anywhere cannot run anything or leak by a picture. */
describe('hostile markdown', () => {
  it('is text, or nothing', () => {
    const { container } = render(
      <Markdown
        text={[
          '<script>window.pwned = 1</script>',
          '<img src=x onerror="window.pwned = 1">',
          '[click](javascript:alert(1)) [data](data:text/html;base64,AAAA) [tab](java\tscript:alert(1))',
          '![p](https://evil.example/p.png) ![q](//evil.example/q.png) ![d](data:image/svg+xml,<svg>)',
          '<iframe srcdoc="x"></iframe><style>*{}</style><svg onload=alert(1)>',
        ].join('\n\n')}
      />,
    );
    expect(container.querySelectorAll('script, iframe, style, svg[onload], img, object, embed')).toHaveLength(0);
    for (const link of container.querySelectorAll('a')) {
      expect(link.protocol).toMatch(/^https?:$/);
      expect(link.rel).toBe('noopener noreferrer nofollow ugc');
      expect(link.target).toBe('_blank');
    }
    for (const element of container.querySelectorAll('*')) {
      expect([...element.attributes].map((one) => one.name).filter((name) => name.startsWith('on') || name === 'style')).toEqual([]);
    }
  });

  it('only our own pictures are shown', () => {
    const { container } = render(<Markdown text="![ours](/api/images/0198c5a2-7b1e-7cc0-8000-000000000001)" />);
    expect(container.querySelector('img')?.getAttribute('src')).toBe('/api/images/0198c5a2-7b1e-7cc0-8000-000000000001');
    expect(isOwnPicture('/api/images/../recipes')).toBe(false);
    expect(isOwnPicture('/api/images/a?x=https://evil.example')).toBe(false);
    expect(isOwnPicture('https://evil.example/api/images/a')).toBe(false);
  });

  it('only addresses that cannot run are links', () => {
    expect(safeLink('https://example.org/a')).toBe('https://example.org/a');
    expect(safeLink('mailto:a@example.org')).toBe('mailto:a@example.org');
    for (const url of ['javascript:alert(1)', 'JAVASCRIPT:alert(1)', 'vbscript:x', 'data:text/html,x', 'file:///etc/passwd', '', undefined, 'blob:https://x/1']) {
      expect(safeLink(url), url).toBeNull();
    }
  });
});

/** U-2, U-5: whatever an agent writes is shown in time. */
describe('markdown that is slow to parse', () => {
  it.each([
    ['quotes in quotes', '>'.repeat(5_000)],
    ['lists in lists', `${'- + * '.repeat(1_500)}x`],
    ['brackets', '['.repeat(8_000)],
    ['links that do not end', '[a]('.repeat(3_000)],
    ['pictures that do not end', '!['.repeat(4_000)],
    ['emphasis', '**a *b '.repeat(2_000)],
    ['dollars', '$a '.repeat(5_000)],
    ['formulas that do not end', '\\( '.repeat(5_000)],
    ['formulas at the beginning of lines', '\\[\n'.repeat(5_000)],
    ['formulas with two dollars', '$$a\n'.repeat(4_000)],
    ['backticks', Array.from({ length: 150 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
    ['references', `${'[a]'.repeat(3_000)}\n\n[a]: https://example.org`],
    ['footnotes', `${'[^1]'.repeat(2_000)}\n\n[^1]: a`],
    ['footnotes in footnotes', Array.from({ length: 300 }, (_, at) => `[^${at}]: see [^${at + 1}]`).join('\n\n')],
    ['columns', `|${'a|'.repeat(1_000)}\n|${'-|'.repeat(1_000)}\n|${'b|'.repeat(1_000)}`],
    ['marks', '* * * *\n'.repeat(3_000)],
    ['definitions', '[a]: b\n'.repeat(3_000)],
  ])('%s', (_, text) => {
    const began = performance.now();
    render(<Markdown text={text} streaming />).unmount();
    // It takes well below a second; what is quadratic takes many.
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});
