import type { UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useWords } from '../words';
import { AskingCard } from './AskingCard';
import { Actions, Trouble } from './Card';
import { Options } from './Options';
import { useAnswering, useArrivalFocus } from './answering';

/** One question, several options: a click answers. */
export function SelectCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useWords();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  const options = prompt.options ?? [];
  return (
    <AskingCard ref={card} asked={prompt} busy={busy}>
      <Options options={options} suggested={prompt.default} disabled={busy} choose={(option) => void give({ response: option.value })} />
      <Trouble text={trouble} />
      <Actions>
        <Button look="quiet" disabled={busy} onClick={() => void dismiss()}>
          {t('prompt.dismiss')}
        </Button>
      </Actions>
    </AskingCard>
  );
}
