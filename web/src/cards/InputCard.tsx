import { CircleHelp } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';

import type { UserPrompt } from '../protocol/generated';
import { Button } from '../ui/Button';
import { useWords } from '../words';
import { Actions, Card, Trouble } from './Card';
import { Countdown } from './Countdown';
import { useAnswering, useArrivalFocus } from './answering';
import { severityWord, toneOf } from './severity';

/** A question that is answered in words. The field has the focus; nothing blank goes out (U-1). */
export function InputCard({ prompt }: { prompt: UserPrompt }) {
  const words = useWords();
  const { t } = words;
  const field = useRef<HTMLInputElement>(null);
  const card = useArrivalFocus<HTMLElement>(field);
  const trouble = useId();
  const [text, setText] = useState('');
  const answering = useAnswering(prompt.messageId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void answering.give({ response: text });
  };
  return (
    <Card
      ref={card}
      tone={toneOf(prompt.severity)}
      icon={<CircleHelp size={18} />}
      title={prompt.question}
      badge={severityWord(words, prompt.severity)}
      aside={prompt.expires_at !== undefined && <Countdown prompt={prompt.messageId} expiresAt={prompt.expires_at} />}
      busy={answering.busy}
    >
      {prompt.context && <p className="text-muted">{prompt.context}</p>}
      <form onSubmit={submit} className="space-y-3">
        <input
          ref={field}
          className="field"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={prompt.default ?? t('prompt.type_answer')}
          aria-label={prompt.question}
          aria-invalid={answering.trouble !== null}
          aria-describedby={trouble}
          disabled={answering.busy}
          autoComplete="off"
        />
        <Trouble id={trouble} text={answering.trouble} />
        <Actions>
          <Button type="submit" look="primary" disabled={answering.busy || text.trim() === ''}>
            {t('prompt.send')}
          </Button>
          <Button look="quiet" disabled={answering.busy} onClick={() => void answering.dismiss()}>
            {t('prompt.dismiss')}
          </Button>
        </Actions>
      </form>
    </Card>
  );
}
