import { Route } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';

import { useI18n } from '../i18n';
import type { Plan } from '../protocol/generated';
import { isText, useAnswerDraft } from '../state/answer_drafts';
import { Button } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { PlanBody } from './PlanBody';
import { type FramedPrompt, PromptFrame } from './PromptFrame';

interface Props {
  /** Of the prompt or the message; the draft is stored under it. */
  id: string;
  asked: FramedPrompt;
  plan: Plan;
  busy: boolean;
  trouble: string | null;
  execute(): void;
  refine(what: string): void;
  dismiss?(): void;
}

/** T-3: execute the plan, or refine it. */
export function PlanCard({ id, asked, plan, busy, trouble, execute, refine, dismiss }: Props) {
  const { t } = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const label = useId();
  const [text, setText] = useAnswerDraft(id, 'refinement', () => '', isText);
  const [refining, setRefining] = useState(text !== '');
  const back = () => {
    setRefining(false);
    card.current?.focus({ preventScroll: true });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') refine(text.trim());
  };
  return (
    <PromptFrame ref={card} asked={asked} tone="accent" icon={<Route size={18} />} title={plan.goal} badge={t('plan.label')} busy={busy}>
      <PlanBody plan={plan} />
      <Trouble text={trouble} />
      {refining ? (
        <form onSubmit={submit} onKeyDown={onEscape(back)} className="space-y-2">
          <label id={label} className="block text-small font-medium" htmlFor={`${label}-field`}>
            {t('plan.refine_label')}
          </label>
          <textarea
            id={`${label}-field`}
            dir="auto"
            className="field field-sizing-content max-h-48 min-h-20"
            value={text}
            onChange={(event) => setText(event.target.value)}
            disabled={busy}
            autoFocus
          />
          <Actions>
            <Button type="submit" look="primary" disabled={busy || text.trim() === ''}>
              {t('plan.send_refinement')}
            </Button>
            <Button look="quiet" disabled={busy} onClick={back}>
              {t('cancel')}
            </Button>
          </Actions>
        </form>
      ) : (
        <Actions>
          <Button look="primary" disabled={busy} onClick={execute}>
            {t('plan.execute')}
          </Button>
          <Button disabled={busy} onClick={() => setRefining(true)}>
            {t('plan.refine')}
          </Button>
          {dismiss && (
            <Button look="quiet" disabled={busy} onClick={dismiss}>
              {t('prompt.dismiss')}
            </Button>
          )}
        </Actions>
      )}
    </PromptFrame>
  );
}
