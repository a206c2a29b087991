import { ListChecks } from 'lucide-react';
import type { FormEvent } from 'react';

import { useI18n } from '../i18n';
import type { SubQuestion } from '../protocol/generated';
import { useAnswerDraft } from '../state/answer_drafts';
import { Button } from '../ui/Button';
import { useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { type FramedPrompt, PromptFrame } from './PromptFrame';
import { QuestionFields } from './QuestionFields';
import { answersOf, type Choices, isAnswered, isChoices, NOTHING } from './questions';

interface Props {
  /** Of the prompt or the message; the draft is stored under it. */
  id: string;
  asked: FramedPrompt;
  questions: readonly SubQuestion[];
  busy: boolean;
  trouble: string | null;
  send(answers: Record<string, string | string[]>): void;
  dismiss?(): void;
}

/** Several questions on one card, answered together. */
export function MultiQuestionCard({ id, asked, questions, busy, trouble, send, dismiss }: Props) {
  const { t, count } = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const [choices, setChoices] = useAnswerDraft<Choices>(id, 'choices', () => ({}), isChoices);
  const missing = questions.filter((question) => !isAnswered(choices[question.id])).length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing === 0) send(answersOf(questions, choices));
  };
  return (
    <PromptFrame ref={card} asked={asked} icon={<ListChecks size={18} />} busy={busy}>
      <form onSubmit={submit} className="space-y-5">
        {questions.map((question) => (
          <QuestionFields
            key={question.id}
            question={question}
            choice={choices[question.id] ?? NOTHING}
            disabled={busy}
            change={(choice) => setChoices((all) => ({ ...all, [question.id]: choice }))}
          />
        ))}
        <Trouble text={trouble} />
        <Actions>
          <Button type="submit" look="primary" disabled={busy || missing > 0}>
            {t('question.send_answers')}
          </Button>
          {dismiss && (
            <Button look="quiet" disabled={busy} onClick={dismiss}>
              {t('prompt.dismiss')}
            </Button>
          )}
          {missing > 0 && missing < questions.length && (
            <span className="text-small text-muted">{count('question.missing', missing)}</span>
          )}
        </Actions>
      </form>
    </PromptFrame>
  );
}
