/** Why a message cannot be sent now, which is shown when somebody tries. Pure. */

import type { Key } from '../i18n';
import { openPrompt } from '../state/branches';
import { currentDraft, type ParlorState } from '../state/store';

export type SendDisabledReason = 'prompt' | 'turn' | 'earlier_waits' | 'earlier_failed' | 'too_long';

export const SEND_DISABLED_TEXTS: Record<SendDisabledReason, Key> = {
  prompt: 'reason.prompt_open',
  turn: 'reason.turn_running',
  earlier_waits: 'composer.earlier_waits',
  earlier_failed: 'composer.earlier_failed',
  too_long: 'reason.input_too_long',
};

/** Why the draft cannot be sent; null if it can, or if it is only blank. */
export function sendDisabledReason(state: ParlorState): SendDisabledReason | null {
  const { conversation, outgoing } = state;
  // A prompt that no turn waits for does not keep a message out.
  if (conversation.turn !== null) return openPrompt(conversation) === null ? 'turn' : 'prompt';
  if (outgoing?.state === 'failed') return 'earlier_failed';
  // It was acknowledged, and its turn begins.
  if (outgoing?.messageId) return 'turn';
  if (outgoing) return 'earlier_waits';
  return lengthOf(state) > mostOf(state) ? 'too_long' : null;
}

export const isBlank = (state: ParlorState): boolean => {
  const { text, files } = currentDraft(state);
  return text.trim() === '' && files.length === 0;
};

export const lengthOf = (state: ParlorState): number => [...currentDraft(state).text].length;

export const mostOf = (state: ParlorState): number => state.me?.limits.message_chars ?? 10_000;
