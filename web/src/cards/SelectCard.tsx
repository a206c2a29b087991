import { useI18n } from '../i18n';
import type { UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useAnswering, useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { Options } from './Options';
import { PromptFrame } from './PromptFrame';

/** One question, several options: a click answers. */
export function SelectCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  const options = prompt.options ?? [];
  return (
    <PromptFrame ref={card} asked={prompt} busy={busy}>
      <Options options={options} suggested={prompt.default} disabled={busy} choose={(option) => void give({ response: option.value })} />
      <Trouble text={trouble} />
      <Actions>
        <Button look="quiet" disabled={busy} onClick={() => void dismiss()}>
          {t('prompt.dismiss')}
        </Button>
      </Actions>
    </PromptFrame>
  );
}
