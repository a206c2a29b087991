/** Validation errors in the reader's language, with the labels of the fields. */

import type { I18n, Key } from '../i18n';
import { fieldLabel } from '../i18n/fields';
import type { FieldProblem } from '../protocol/generated';
import { partsOf } from './pointer';
import type { Schema } from './schema';

export function problemSentences(i18n: I18n, schema: Schema, problems: readonly FieldProblem[]): string {
  return problems.map((problem) => sentence(i18n, schema, problem)).join(' ');
}

function sentence(i18n: I18n, schema: Schema, { pointer, problem, limit }: FieldProblem): string {
  const field = labelAt(i18n, schema, pointer);
  if (problem === 'too_short' && limit === 1) return i18n.t('problem.empty', { field });
  return i18n.t(KEYS[problem] ?? 'problem.other', { field, limit: limit === undefined ? '' : i18n.number(limit) });
}

const KEYS: Record<FieldProblem['problem'], Key> = {
  missing: 'problem.missing',
  too_short: 'problem.too_short',
  too_long: 'problem.too_long',
  too_small: 'problem.too_small',
  too_large: 'problem.too_large',
  too_few: 'problem.too_few',
  too_many: 'problem.too_many',
  pattern: 'problem.pattern',
  wrong_type: 'problem.wrong_type',
  not_a_choice: 'problem.not_a_choice',
  unknown: 'problem.unknown',
  masked: 'problem.masked',
  other: 'problem.other',
};

/** “Steps 2 Instruction”: the titles of the schema, or else the names of the fields. */
function labelAt(i18n: I18n, schema: Schema, pointer: string): string {
  let at: Schema | undefined = schema;
  const labels = partsOf(pointer).map((part) => {
    const inList = /^\d+$/.test(part) && at?.items !== undefined;
    at = inList ? at?.items : at?.properties?.[part];
    return inList ? String(Number(part) + 1) : (at?.title ?? fieldLabel(i18n, part));
  });
  return labels.length === 0 ? i18n.t('problem.all') : `“${labels.join(' ')}”`;
}
