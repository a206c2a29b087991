/** One of several questions: its options as radios or checkboxes, and a field for something else. */

import { useId } from 'react';

import { useI18n } from '../i18n';
import type { SubQuestion } from '../protocol/generated';
import { type Choice, pick, pickOther } from './questions';

interface Props {
  question: SubQuestion;
  choice: Choice;
  disabled: boolean;
  change(choice: Choice): void;
}

export function QuestionFields({ question, choice, disabled, change }: Props) {
  const { t } = useI18n();
  const name = useId();
  const type = question.multi_select ? 'checkbox' : 'radio';
  return (
    <fieldset disabled={disabled} className="space-y-2">
      <legend className="mb-2">
        {question.header && <span className="block text-small text-muted">{question.header}</span>}
        <span dir="auto" className="font-medium">{question.question}</span>
        {question.multi_select && <span className="ms-2 text-small text-muted">{t('question.several')}</span>}
      </legend>
      {question.options.map((option, index) => (
        <label
          key={`${index}-${option.value}`}
          className="flex cursor-pointer items-start gap-3 rounded-control border border-(--outline) px-3.5 py-2.5 has-checked:border-question has-checked:bg-raised has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--accent) pointer-coarse:min-h-11"
        >
          <input
            type={type}
            name={name}
            className="mt-1 size-4 shrink-0 accent-(--question)"
            checked={choice.values.includes(option.value)}
            onChange={() => change(pick(question, choice, option.value))}
          />
          <span dir="auto">
            <span className="block font-medium">{option.label}</span>
            {option.description && <span className="block text-small text-muted">{option.description}</span>}
          </span>
        </label>
      ))}
      {question.allow_other && (
        <div className="flex items-center gap-3 rounded-control border border-(--outline) py-1 ps-3.5 pe-1.5 has-checked:border-question">
          <input
            type={type}
            name={name}
            aria-label={t('question.other')}
            className="size-4 shrink-0 accent-(--question)"
            checked={choice.usesOther}
            onChange={() => change(pickOther(question, choice))}
          />
          <input
            dir="auto"
            className="field border-transparent bg-transparent"
            placeholder={t('question.other')}
            aria-label={`${question.question} ${t('question.other')}`}
            value={choice.other}
            onChange={(event) =>
              change({
                ...choice,
                other: event.target.value,
                usesOther: event.target.value !== '',
                values: question.multi_select ? choice.values : [],
              })
            }
          />
        </div>
      )}
    </fieldset>
  );
}
