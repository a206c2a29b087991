/**
 * The direction of imports. A folder may import the folders that stand before it
 * in `FOLDERS`, and itself; `import type` and `import()` count like any import.
 * Between files there are no cycles at all.
 *
 * Tests, `testing` and `main.tsx` may import everything; nothing imports them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from 'vitest';

/** From the bottom to the top. */
const FOLDERS = [
  'protocol',
  'browser',
  'net',
  'state',
  'i18n',
  'ui',
  'composer',
  'schema',
  'markdown',
  'cards',
  'artifacts',
  'thread',
  'admin',
  'app',
];

const SOURCE = import.meta.dirname;

interface Import {
  from: string;
  to: string;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .toSorted();
const imports = files.flatMap(importsOf);

function importsOf(from: string): Import[] {
  const text = readFileSync(join(SOURCE, from), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]*)['"]/g)].flatMap(([, path]) => {
    const target = relative(SOURCE, join(SOURCE, dirname(from), path!));
    if (target.endsWith('.css')) return [];
    const to = [`${target}.ts`, `${target}.tsx`, join(target, 'index.ts')].find((name) => files.includes(name));
    if (to === undefined) throw new Error(`${from} imports ${path}, which is not there`);
    return [{ from, to }];
  });
}

const isTest = (file: string) => file.includes('.test.') || file.startsWith('testing/');
const isOutermost = (file: string) => isTest(file) || file === 'main.tsx';
const folderOf = (file: string) => file.split('/')[0]!;

/** The imports that go against the direction, each as a sentence. */
function againstTheDirection(all: readonly Import[]): string[] {
  return all
    .filter(({ from, to }) => (isTest(to) ? !isTest(from) : !isOutermost(from) && level(to) > level(from)))
    .map(({ from, to }) => `${from} imports ${to}: ${folderOf(from)} must not know ${folderOf(to)}`);
}

function level(file: string): number {
  const found = FOLDERS.indexOf(folderOf(file));
  return found < 0 ? Infinity : found;
}

/** The first cycle that is found, as the chain of its files. */
function cycleIn(all: readonly Import[]): string[] | null {
  const targets = new Map<string, string[]>();
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const to of targets.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return null;
}

describe('imports', () => {
  it('are found at all', () => {
    expect(imports).toContainEqual({ from: 'app/App.tsx', to: 'thread/Thread.tsx' });
    expect(imports).toContainEqual({ from: 'app/App.tsx', to: 'admin/AdminPage.tsx' });
    expect(imports).toContainEqual({ from: 'thread/rows.ts', to: 'protocol/generated.ts' });
  });

  it('go from a folder to one below it', () => {
    const known = new Set([...FOLDERS, 'testing']);
    expect(files.filter((file) => file.includes('/') && !known.has(folderOf(file))), 'a folder without a place in FOLDERS').toEqual([]);
    expect(againstTheDirection(imports)).toEqual([]);
  });

  it('make no cycle between files', () => {
    expect(cycleIn(imports)?.join(' → ') ?? null).toBeNull();
  });
});

describe('the check', () => {
  it('names an import against the direction', () => {
    expect(againstTheDirection([{ from: 'ui/Button.tsx', to: 'app/App.tsx' }])).toEqual([
      'ui/Button.tsx imports app/App.tsx: ui must not know app',
    ]);
    expect(againstTheDirection([{ from: 'ui/Button.tsx', to: 'testing/render.tsx' }])).toHaveLength(1);
    expect(againstTheDirection([{ from: 'ui/Button.tsx', to: 'i18n/index.ts' }, { from: 'ui/x.test.ts', to: 'app/App.tsx' }])).toEqual([]);
  });

  it('names a cycle', () => {
    const chain = [['a.ts', 'b.ts'], ['b.ts', 'c.ts'], ['c.ts', 'b.ts']].map(([from, to]) => ({ from: from!, to: to! }));
    expect(cycleIn(chain)).toEqual(['b.ts', 'c.ts', 'b.ts']);
    expect(cycleIn(chain.slice(0, 2))).toBeNull();
  });
});
