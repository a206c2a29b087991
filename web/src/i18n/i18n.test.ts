import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { CATALOGUES, fill, i18n, type Key } from '.';
import { chosenBy, LANGUAGES } from './language';
import { isDestructive, plainName, readableName, toolTexts } from './tools';

const SOURCE = join(import.meta.dirname, '..');

function sources(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) && !name.includes('.test.') && !/i18n\/(en|pt)(\/|\.ts$)/.test(path) ? [path] : [];
  });
}

const code = sources(SOURCE).map((path) => readFileSync(path, 'utf8')).join('\n');
const keys = Object.keys(CATALOGUES.en) as Key[];
const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

/** U-4: every text in both languages. */
describe('the catalogues', () => {
  it('have the same texts, none of them empty', () => {
    for (const language of LANGUAGES) {
      expect(Object.keys(CATALOGUES[language]).sort()).toEqual([...keys].sort());
      for (const key of keys) expect(CATALOGUES[language][key].trim(), `${language} ${key}`).not.toBe('');
    }
  });

  it('fill in the same names', () => {
    for (const key of keys) expect(names(CATALOGUES.pt[key]), key).toEqual(names(CATALOGUES.en[key]));
  });

  it('have no text that nobody says', () => {
    const stems = [...code.matchAll(/`([\w.]+)\.?\$\{/g)].map((match) => match[1]!);
    const unused = keys.filter((key) => {
      const stem = key.replace(/\.(one|other)$/, '');
      const said = code.includes(`'${key}'`) || code.includes(`'${stem}'`);
      return !said && !stems.some((prefix) => key.startsWith(prefix));
    });
    expect(unused).toEqual([]);
  });

  it('hold every text: none stands in the markup', () => {
    for (const path of sources(SOURCE).filter((one) => one.endsWith('.tsx'))) {
      const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const bare = [...text.matchAll(/>\s*([A-Za-zÀ-ÿ][^<>{}=;()]*[a-zà-ÿ])\s*</g)].map((match) => match[1]!.trim());
      expect(bare.filter((one) => one !== 'Parlor'), path).toEqual([]);
      const attributes = [...text.matchAll(/\b(?:aria-label|placeholder|title|alt)="([^"]*[a-z][^"]*)"/g)].map((match) => match[1]!);
      expect(attributes, path).toEqual([]);
    }
  });
});

describe('words', () => {
  it('are filled in and counted', () => {
    expect(fill('{a} and {b}', { a: 1 })).toBe('1 and {b}');
    expect(i18n('en').count('tool.list_recipes.found', 1)).toBe('One recipe found');
    expect(i18n('en').count('tool.list_recipes.found', 3)).toBe('3 recipes found');
    expect(i18n('pt').count('tool.list_recipes.found', 0)).toContain('receita');
    expect(i18n('pt').count('tool.list_recipes.found', 1200)).toBe('1.200 receitas encontradas');
  });

  it('say how long ago something was', () => {
    const now = Date.parse('2026-01-10T12:00:00Z');
    expect(i18n('en').ago(now - 20_000, now)).toBe('just now');
    expect(i18n('en').ago(now - 5 * 60_000, now)).toBe('5 minutes ago');
    expect(i18n('pt').ago(now - 3 * 3_600_000, now)).toBe('há 3 horas');
  });

  it('say how long something takes', () => {
    const { duration } = i18n('en');
    expect([0, 45, 60, 90, 720, 719.6, 1500].map(duration)).toEqual(['0 min', '45 min', '1 h', '1 h 30 min', '12 h', '12 h', '25 h']);
  });

  it('are in the language that the browser likes best', () => {
    expect(chosenBy(['pt-BR', 'en'])).toBe('pt');
    expect(chosenBy(['de', 'en-GB', 'pt'])).toBe('en');
    expect(chosenBy(['de'])).toBe('en');
  });

  it('name tools, also those that nobody knows', () => {
    expect(toolTexts(i18n('en'), 'delete_recipe')).toMatchObject({ wants: 'delete a recipe', act: 'Delete recipe' });
    expect(toolTexts(i18n('pt'), 'mcp__vault__list_recipes').running).toBe('Procurando receitas…');
    expect(toolTexts(i18n('en'), 'sendEmail')).toMatchObject({ wants: 'use “send email”', act: 'Send email' });
    expect(plainName('vault.delete_recipe')).toBe('delete_recipe');
    expect(readableName('write-file')).toBe('write file');
    expect([isDestructive('delete_files'), isDestructive('removeUser'), isDestructive('undelete_x'), isDestructive('list')]).toEqual([true, true, false, false]);
  });
});
