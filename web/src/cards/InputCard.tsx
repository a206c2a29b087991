import { type FormEvent, useId, useRef } from 'react';

import { useI18n } from '../i18n';
import type { UserPrompt } from '../protocol/generated';
import { isText, useAnswerDraft } from '../state/answer_drafts';
import { Button } from '../ui/Button';
import { useAnswering, useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { PromptFrame } from './PromptFrame';

/** A question that is answered with text. The field has the focus; a blank answer is not sent (U-1). */
export function InputCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useI18n();
  const field = useRef<HTMLInputElement>(null);
  const card = useArrivalFocus<HTMLElement>(field);
  const trouble = useId();
  const [text, setText] = useAnswerDraft(prompt.messageId, 'text', () => '', isText);
  const answering = useAnswering(prompt.messageId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void answering.give({ response: text });
  };
  return (
    <PromptFrame ref={card} asked={prompt} busy={answering.busy}>
      <form onSubmit={submit} className="space-y-3">
        <input
          ref={field}
          dir="auto"
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
    </PromptFrame>
  );
}
