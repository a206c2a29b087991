/** Texts for errors: what happened, and what to do. */

import { serverNow } from '../net/clock';
import type { Refusal } from '../net/http';
import type { ErrorCode } from '../protocol/generated';
import type { I18n, Key } from '.';
import { spentText } from './budgets';

const REASONS: Record<ErrorCode | 'offline', Key> = {
  input_blocked: 'reason.input_blocked',
  input_empty: 'reason.input_empty',
  input_too_long: 'reason.input_too_long',
  input_malformed: 'reason.input_malformed',
  malformed: 'reason.malformed',
  bad_image: 'reason.bad_image',
  bad_file: 'reason.bad_file',
  file_type: 'reason.file_type',
  unauthorized: 'reason.unauthorized',
  forbidden: 'reason.forbidden',
  not_approver: 'reason.not_approver',
  not_found: 'reason.not_found',
  turn_running: 'reason.turn_running',
  prompt_open: 'reason.prompt_open',
  prompt_closed: 'reason.prompt_closed',
  answer_invalid: 'reason.answer_invalid',
  title_taken: 'reason.title_taken',
  changed: 'reason.changed',
  too_large: 'reason.too_large',
  rate_limited: 'reason.rate_limited',
  budget_exceeded: 'reason.budget_exceeded',
  agent_failed: 'reason.agent_failed',
  unavailable: 'reason.unavailable',
  internal: 'reason.internal',
  offline: 'reason.offline',
};

const DETAILED: ReadonlySet<string> = new Set(['answer_invalid', 'bad_file', 'file_type']);

export function reasonFor(i18n: I18n, refusal: Refusal): string {
  if (refusal.code === 'rate_limited' && refusal.retryAfter !== null) {
    return i18n.count('reason.rate_limited_for', Math.ceil(refusal.retryAfter));
  }
  if (refusal.budget !== null) return spentText(i18n, refusal.budget, serverNow(Date.now()));
  const reason = i18n.t(reasonKey(refusal.code));
  // Only the server knows what exactly is wrong with the answer or the file, and which one.
  return DETAILED.has(refusal.code) && refusal.message ? `${reason} ${refusal.message}` : reason;
}

/** What helps against the error of a turn: to try again, or what the server names. */
export type Remedy = 'again' | 'administrator' | 'new_conversation' | 'rephrase' | 'another_picture' | 'unknown';

/** The code of an error message. */
export function failureCode({ code }: Record<string, unknown>): string {
  return typeof code === 'string' ? code : 'agent_failed';
}

/** The remedy that the metadata of an error message names. */
export function remedyOf(metadata: Record<string, unknown>): Remedy {
  if (metadata['recoverable'] !== false) return 'again';
  const { remedy } = metadata;
  return typeof remedy === 'string' && Object.hasOwn(FAILURES, remedy) ? (remedy as Remedy) : 'unknown';
}

const FAILURES: Record<Exclude<Remedy, 'again'>, Key> = {
  administrator: 'reason.agent_setup',
  new_conversation: 'reason.agent_too_long',
  rephrase: 'reason.agent_declined',
  another_picture: 'reason.agent_no_picture',
  unknown: 'reason.agent_gave_up',
};

/** The text for the error of a turn. */
export function failureKey(code: string, remedy: Remedy): Key {
  return code === 'agent_failed' && remedy !== 'again' ? FAILURES[remedy] : reasonKey(code);
}

export function reasonKey(code: string): Key {
  return (REASONS as Record<string, Key | undefined>)[code] ?? 'reason.internal';
}
