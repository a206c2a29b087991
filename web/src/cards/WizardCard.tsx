/** P-8: several steps with back and next, answered together. */

import { ChevronLeft, Footprints } from 'lucide-react';
import { type FormEvent, useEffect, useRef } from 'react';

import { useI18n } from '../i18n';
import { isFields } from '../net/decode';
import type { PromptStep, UserPrompt } from '../protocol/generated';
import { asSchema } from '../schema/schema';
import { SchemaForm } from '../schema/SchemaForm';
import { useAnswerDraft } from '../state/answer_drafts';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { useAnswering, useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { Options } from './Options';
import { PromptFrame } from './PromptFrame';
import { firstAnswer, isStepAnswered, type StepAnswers } from './wizard';

export function WizardCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const body = useRef<HTMLDivElement>(null);
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  const steps = prompt.steps ?? [];
  const isStep = (value: unknown): value is number => steps[value as number] !== undefined;
  const [at, setAt] = useAnswerDraft(prompt.messageId, 'step', () => 0, isStep);
  const [answers, setAnswers] = useAnswerDraft<StepAnswers>(
    prompt.messageId,
    'answers',
    () => Object.fromEntries(steps.map((step) => [step.id, firstAnswer(step)])),
    isFields,
  );
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) body.current?.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
    moved.current = true;
  }, [at]);
  const step = steps[at];
  if (!step) return null;
  const last = at === steps.length - 1;
  const ready = isStepAnswered(step, answers[step.id]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    if (last) void give({ response: answers });
    else setAt(at + 1);
  };
  return (
    <PromptFrame ref={card} asked={prompt} icon={<Footprints size={18} />} busy={busy}>
      <Progress steps={steps} at={at} />
      <form onSubmit={submit} noValidate className="space-y-4">
        <div ref={body} className="space-y-2">
          <p>
            <span className="block text-small text-muted tabular">{t('wizard.step', { at: at + 1, of: steps.length })}</span>
            <span className="font-medium">{step.question}</span>
          </p>
          <StepField
            key={step.id}
            step={step}
            value={answers[step.id]}
            disabled={busy}
            change={(value) => setAnswers((all) => ({ ...all, [step.id]: value }))}
          />
        </div>
        <Trouble text={trouble} />
        <Actions>
          {at > 0 && (
            <Button disabled={busy} icon={<ChevronLeft size={15} aria-hidden="true" />} onClick={() => setAt(at - 1)}>
              {t('wizard.back')}
            </Button>
          )}
          <Button type="submit" look="primary" disabled={busy || !ready}>
            {last ? t('question.send_answers') : t('wizard.next')}
          </Button>
          <Button look="quiet" disabled={busy} onClick={() => void dismiss()}>
            {t('prompt.dismiss')}
          </Button>
        </Actions>
      </form>
    </PromptFrame>
  );
}

function Progress({ steps, at }: { steps: readonly PromptStep[]; at: number }) {
  return (
    <ol className="flex gap-1.5">
      {steps.map((step, index) => (
        <li key={step.id} aria-current={index === at ? 'step' : undefined} className="min-w-0 grow basis-0">
          <span aria-hidden="true" className={classes('block h-1 rounded-full', index <= at ? 'bg-question' : 'bg-line')} />
          <span className={classes('mt-1 block truncate text-small', index === at ? 'font-medium' : 'text-muted')}>{step.title}</span>
        </li>
      ))}
    </ol>
  );
}

interface StepFieldProps {
  step: PromptStep;
  value: unknown;
  disabled: boolean;
  change(value: unknown): void;
}

function StepField({ step, value, disabled, change }: StepFieldProps) {
  const { t } = useI18n();
  switch (step.promptType) {
    case 'select':
      return <Options options={step.options ?? []} chosen={typeof value === 'string' ? value : null} disabled={disabled} choose={(option) => change(option.value)} />;
    case 'confirm':
      return (
        <Options
          options={[
            { label: t('yes'), value: 'yes' },
            { label: t('no'), value: 'no' },
          ]}
          chosen={typeof value === 'string' ? value : null}
          disabled={disabled}
          choose={(option) => change(option.value)}
        />
      );
    case 'form':
      return <SchemaForm schema={asSchema(step.schema)} value={value} disabled={disabled} change={change} />;
    default:
      return (
        <input
          dir="auto"
          className="field"
          aria-label={step.question}
          placeholder={t('prompt.type_answer')}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => change(event.target.value)}
          disabled={disabled}
          autoComplete="off"
        />
      );
  }
}
