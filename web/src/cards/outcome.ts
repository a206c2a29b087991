/** Texts for the outcome of a prompt. Pure but for the catalogue. */

import type { I18n } from '../i18n';
import { toolTexts } from '../i18n/tools';
import { isFields } from '../net/decode';
import type { PromptClosed, UserPrompt } from '../protocol/generated';
import { objectOf } from './object';
import { readableAnswer } from './wizard';

/** The outcome, with the labels of the answer. */
export function outcomeText(i18n: I18n, prompt: UserPrompt, closed: PromptClosed): string {
  const { t } = i18n;
  switch (closed.outcome) {
    case 'expired':
      return t(endedWithAgent(prompt, closed) ? 'outcome.agent_ended' : 'outcome.expired');
    case 'cancelled':
      return t('outcome.cancelled');
    case 'refused':
      return t('outcome.refused');
    case 'answered': {
      if (closed.toolCall) return t('outcome.allowed_with_changes');
      const answer = answerText(i18n, prompt, closed.response);
      return answer === '' ? t('outcome.answered') : t('outcome.answered_with', { answer });
    }
  }
}

/** Whether a prompt expired before its time: its agent ended, and nobody could have carried out an answer. */
function endedWithAgent(prompt: UserPrompt, closed: PromptClosed): boolean {
  return prompt.ends_with_agent === true && (prompt.expires_at === undefined || closed.at < prompt.expires_at);
}

/** `answered_by` of an answer from a session. */
const BROWSER = 'browser';

/** From where it was answered, and when: sessions share one name, an API key has its own. */
export function outcomeBy({ t, time }: I18n, { outcome, answered_by: who, at }: PromptClosed): string {
  const when = time(at);
  if (outcome === 'expired' || !who) return when;
  return who === BROWSER ? t('outcome.in_browser', { when }) : t('outcome.by', { who, when });
}

export function answerText(i18n: I18n, prompt: UserPrompt, response: unknown): string {
  const { t } = i18n;
  if (prompt.promptType === 'client_call') return '';
  if (prompt.toolCall) return response === 'yes' ? t('outcome.allowed') : '';
  if (prompt.promptType === 'plan') return response === 'execute' ? t('plan.execute') : response === 'refine' ? t('plan.refine') : '';
  if (response === 'yes' || response === 'no') return t(response);
  if (typeof response === 'string') return labelOf(prompt, response);
  if (!isFields(response)) return response === undefined || response === null ? '' : JSON.stringify(response);
  return Object.entries(response).map(([id, value]) => partText(i18n, prompt, id, value)).join(' · ');
}

function labelOf(prompt: UserPrompt, value: string): string {
  return prompt.options?.find((option) => option.value === value)?.label ?? value;
}

function partText({ t }: I18n, prompt: UserPrompt, id: string, value: unknown): string {
  const question = prompt.questions?.find((one) => one.id === id);
  if (question) {
    const values = Array.isArray(value) ? value : [value];
    return values.map((one) => question.options.find((option) => option.value === one)?.label ?? String(one)).join(', ');
  }
  const step = prompt.steps?.find((one) => one.id === id);
  if (step) return readableAnswer(step, value, { yes: t('yes'), no: t('no') });
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The title of a prompt in one line, while it is open or once it is closed. */
export function promptTitle(i18n: I18n, prompt: UserPrompt, waits = false): string {
  if (prompt.toolCall) {
    const what = toolTexts(i18n, prompt.toolCall.name, objectOf(prompt.toolCall, prompt.preview)).wants;
    return i18n.t(waits ? 'approval.wants' : 'approval.wanted', { what });
  }
  return prompt.promptType === 'plan' ? (prompt.plan?.goal ?? prompt.question) : prompt.question;
}
