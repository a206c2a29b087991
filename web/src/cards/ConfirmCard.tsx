import { CircleHelp } from 'lucide-react';

import type { UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useWords } from '../words';
import { Actions, Card, Trouble } from './Card';
import { Countdown } from './Countdown';
import { PreviewOf } from './preview/Preview';
import { useAnswering, useArrivalFocus } from './answering';
import { severityWord, toneOf } from './severity';

/** A yes or a no that is not about a tool. */
export function ConfirmCard({ prompt }: { prompt: UserPrompt }) {
  const words = useWords();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give } = useAnswering(prompt.messageId);
  return (
    <Card
      ref={card}
      tone={toneOf(prompt.severity)}
      icon={<CircleHelp size={18} />}
      title={prompt.question}
      badge={severityWord(words, prompt.severity)}
      aside={prompt.expires_at !== undefined && <Countdown prompt={prompt.messageId} expiresAt={prompt.expires_at} />}
      busy={busy}
    >
      {prompt.context && <p className="text-muted">{prompt.context}</p>}
      {prompt.preview && <PreviewOf preview={prompt.preview} />}
      <Trouble text={trouble} />
      <Actions>
        <Button
          look={prompt.severity === 'critical' ? 'critical' : 'primary'}
          disabled={busy}
          onClick={() => void give({ response: 'yes' })}
        >
          {words.t('yes')}
        </Button>
        <Button disabled={busy} onClick={() => void give({ response: 'no' })}>
          {words.t('no')}
        </Button>
      </Actions>
    </Card>
  );
}
