import { AppWindow } from 'lucide-react';

import { useI18n } from '../i18n';
import type { ToolCall, UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useAnswering, useArrivalFocus } from './answering';
import { Arguments } from './Arguments';
import { Actions, Trouble } from './Card';
import { promptTitle } from './outcome';
import { PromptFrame } from './PromptFrame';

const NO_PROBLEMS = {};

/** A call of a tool that the app which sent the message has: that app answers, a person can only refuse. */
export function ClientCallCard({ prompt, call }: { prompt: UserPrompt; call: ToolCall }) {
  const i18n = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, dismiss } = useAnswering(prompt.messageId);
  return (
    <PromptFrame ref={card} asked={prompt} icon={<AppWindow size={18} />} title={promptTitle(i18n, prompt, true)} busy={busy}>
      <p className="text-muted">{i18n.t('client_call.waits')}</p>
      <Arguments call={call} schema={undefined} input={call.input} problems={NO_PROBLEMS} disabled />
      <Trouble text={trouble} />
      <Actions>
        <Button disabled={busy} onClick={() => void dismiss()}>
          {i18n.t('client_call.refuse')}
        </Button>
      </Actions>
    </PromptFrame>
  );
}
