/** The choices of a multi-question prompt. Pure. */

import { isFields } from '../net/decode';
import type { SubQuestion } from '../protocol/generated';

/** What is chosen of one question. `other` is free text, used while `usesOther`. */
export interface Choice {
  values: readonly string[];
  other: string;
  usesOther: boolean;
}

export type Choices = Record<string, Choice>;

export const NOTHING: Choice = { values: [], other: '', usesOther: false };

/** Whether a stored value is a set of choices. */
export function isChoices(value: unknown): value is Choices {
  return isFields(value) && Object.values(value).every(isChoice);
}

function isChoice(value: unknown): value is Choice {
  if (!isFields(value)) return false;
  return Array.isArray(value['values']) && typeof value['other'] === 'string' && typeof value['usesOther'] === 'boolean';
}

export function pick(question: SubQuestion, choice: Choice, value: string): Choice {
  if (!question.multi_select) return { ...choice, values: [value], usesOther: false };
  const chosen = choice.values.includes(value);
  return { ...choice, values: chosen ? choice.values.filter((one) => one !== value) : [...choice.values, value] };
}

export function pickOther(question: SubQuestion, choice: Choice): Choice {
  if (!question.multi_select) return { ...choice, values: [], usesOther: true };
  return { ...choice, usesOther: !choice.usesOther };
}

export function isAnswered(choice: Choice | undefined): boolean {
  if (!choice) return false;
  return choice.usesOther ? choice.other.trim() !== '' : choice.values.length > 0;
}

/** `{id: value | [values]}`, as the server takes it. */
export function answersOf(questions: readonly SubQuestion[], choices: Choices): Record<string, string | string[]> {
  return Object.fromEntries(questions.map((question) => [question.id, answerOf(question, choices[question.id] ?? NOTHING)]));
}

function answerOf(question: SubQuestion, choice: Choice): string | string[] {
  const given = [...choice.values, ...(choice.usesOther ? [choice.other.trim()] : [])];
  return question.multi_select ? given : (given.at(-1) ?? '');
}
