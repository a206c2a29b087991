import { CircleHelp } from 'lucide-react';

import type { UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useWords } from '../words';
import { Actions, Card, Trouble } from './Card';
import { Countdown } from './Countdown';
import { Options } from './Options';
import { useAnswering, useArrivalFocus, useNumberKeys } from './answering';
import { severityWord, toneOf } from './severity';

/** One question, several options: a click answers. */
export function SelectCard({ prompt }: { prompt: UserPrompt }) {
  const words = useWords();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  const options = prompt.options ?? [];
  const choose = (value: string) => void give({ response: value });
  useNumberKeys(!busy, options.length, (index) => {
    const option = options[index];
    if (option) choose(option.value);
  });
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
      <Options options={options} suggested={prompt.default} disabled={busy} choose={(option) => choose(option.value)} />
      <Trouble text={trouble} />
      <Actions>
        <Button look="quiet" disabled={busy} onClick={() => void dismiss()}>
          {words.t('prompt.dismiss')}
        </Button>
      </Actions>
    </Card>
  );
}
