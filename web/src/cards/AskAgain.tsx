/** A lapsed approval: the agent can be told that it may try again. */

import { RotateCcw } from 'lucide-react';

import { sendDisabledReason } from '../composer/send_disabled';
import { useI18n } from '../i18n';
import { toolTexts } from '../i18n/tools';
import type { ToolCall, UserPrompt } from '../protocol/generated';
import { sendText } from '../state/conversation';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';

/**
 * Sends a message of the person, and says so. It names the tool and none of the data: names of things may be words
 * of others, and what a person says counts as the person's own.
 */
export function AskAgain({ prompt, call }: { prompt: UserPrompt; call: ToolCall }) {
  const i18n = useI18n();
  const { t } = i18n;
  const here = useParlor((state) => state.page === 'chat' && state.conversation.id === prompt.conversation_id);
  const blocked = useParlor((state) => sendDisabledReason(state) !== null);
  if (!here) return null;
  const text = t('outcome.ask_again_said', { what: toolTexts(i18n, call.name).wants });
  return (
    <p className="mt-1 mb-0.5 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button disabled={blocked} icon={<RotateCcw size={15} aria-hidden="true" />} onClick={() => void sendText(text)}>
        {t('outcome.ask_again')}
      </Button>
      <span className="min-w-40 grow basis-0 text-small text-muted">{t('outcome.ask_again_hint', { text })}</span>
    </p>
  );
}
