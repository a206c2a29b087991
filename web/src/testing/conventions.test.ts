/** Conventions of the web interface, as tests. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

import { expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '..');

function files(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    return statSync(path).isDirectory() ? files(path) : /\.tsx?$/.test(name) ? [path] : [];
  });
}

const all = files(SOURCE).map((path) => ({ name: relative(SOURCE, path), text: readFileSync(path, 'utf8') }));
const product = all.filter(({ name }) => !name.includes('.test.') && !name.startsWith('testing/'));

const naming = (pattern: RegExp) => product.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

it('one folder talks to the network', () => {
  const talks = naming(/\bfetch\(|XMLHttpRequest|new EventSource|new WebSocket|sendBeacon/);
  expect(talks.filter((name) => !name.startsWith('net/'))).toEqual([]);
});

it('two files know assistant-ui', () => {
  expect(naming(/@assistant-ui/)).toEqual(['thread/parts.tsx', 'thread/runtime.tsx']);
});

/** U-3, FAULTS 26 */
it('nothing becomes markup, and no native dialog opens', () => {
  expect(naming(/dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/)).toEqual([]);
  expect(naming(/\b(?:window\.)?(?:alert|confirm|prompt)\(/)).toEqual([]);
});

it('the reducer and what it stands on are pure', () => {
  for (const name of ['state/reduce.ts', 'state/model.ts', 'thread/rows.ts', 'markdown/blocks.ts', 'markdown/lines.ts', 'markdown/references.ts', 'markdown/repair.ts', 'schema/schema.ts']) {
    const { text } = all.find((file) => file.name === name)!;
    expect(text, name).not.toMatch(/Date\.now|Math\.random|\bwindow\.|\bdocument\.|from 'react'|zustand/);
  }
});

it('no file holds two ideas', () => {
  for (const { name, text } of all) {
    if (name === 'protocol/generated.ts') continue;
    expect(text.split('\n').length, name).toBeLessThanOrEqual(400);
  }
});
