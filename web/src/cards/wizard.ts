/** The steps of a wizard and their answers. Pure. */

import type { PromptStep } from '../protocol/generated';
import { asSchema, beginning, problemsIn } from '../schema/schema';

export type StepAnswers = Record<string, unknown>;

/** The initial answer of a step. */
export function firstAnswer(step: PromptStep): unknown {
  return step.promptType === 'form' ? (beginning(asSchema(step.schema)) ?? {}) : undefined;
}

export function isStepAnswered(step: PromptStep, value: unknown): boolean {
  switch (step.promptType) {
    case 'confirm':
      return value === 'yes' || value === 'no';
    case 'select':
      return step.options?.some((option) => option.value === value) === true;
    case 'form':
      return Object.keys(problemsIn(asSchema(step.schema), value)).length === 0;
    default:
      if (typeof value !== 'string' || value.trim() === '') return false;
      return step.schema === undefined || Object.keys(problemsIn(asSchema(step.schema), value)).length === 0;
  }
}

/** The answer of a step as text. */
export function readableAnswer(step: PromptStep, value: unknown, yesNo: { yes: string; no: string }): string {
  if (value === 'yes' || value === 'no') return yesNo[value];
  const option = step.options?.find((one) => one.value === value);
  if (option) return option.label;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
