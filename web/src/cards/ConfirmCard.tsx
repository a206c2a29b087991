import { useI18n } from '../i18n';
import type { UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useAnswering, useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { PreviewOf } from './preview/Preview';
import { PromptFrame } from './PromptFrame';

/** A yes-or-no question that is no approval. */
export function ConfirmCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give } = useAnswering(prompt.messageId);
  return (
    <PromptFrame ref={card} asked={prompt} busy={busy}>
      {prompt.preview && <PreviewOf preview={prompt.preview} />}
      <Trouble text={trouble} />
      <Actions>
        <Button
          look={prompt.severity === 'critical' ? 'critical' : 'primary'}
          disabled={busy}
          onClick={() => void give({ response: 'yes' })}
        >
          {t('yes')}
        </Button>
        <Button disabled={busy} onClick={() => void give({ response: 'no' })}>
          {t('no')}
        </Button>
      </Actions>
    </PromptFrame>
  );
}
