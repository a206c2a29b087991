/** Options as full-width buttons with label, description and number key. */

import { useI18n } from '../i18n';
import type { QuestionOption } from '../protocol/generated';
import { classes } from '../ui/classes';

interface Props {
  options: readonly QuestionOption[];
  /** Highlighted, never chosen automatically (P-4). */
  suggested?: string | undefined;
  chosen?: string | null;
  disabled: boolean;
  choose(option: QuestionOption): void;
}

export function Options({ options, suggested, chosen = null, disabled, choose }: Props) {
  const { t } = useI18n();
  return (
    <ul className="space-y-2">
      {options.map((option, index) => (
        <li key={`${index}-${option.value}`}>
          <button
            type="button"
            data-option=""
            disabled={disabled}
            onClick={() => choose(option)}
            className={classes(
              'flex w-full items-center gap-3 rounded-control border bg-surface px-3.5 py-2.5 text-start transition-colors duration-100',
              'enabled:hover:border-question enabled:hover:bg-raised disabled:cursor-not-allowed pointer-coarse:min-h-11',
              option.value === suggested || option.value === chosen ? 'border-question' : 'border-(--outline)',
              disabled && option.value !== chosen && 'text-muted',
            )}
          >
            <span dir="auto" className="min-w-0 grow">
              <span className="block font-medium">{option.label}</span>
              {option.description && <span className="block text-small text-muted">{option.description}</span>}
            </span>
            {option.value === suggested && (
              <span className="shrink-0 text-small font-medium text-question">{t('question.suggested')}</span>
            )}
            {index < 9 && !disabled && (
              <kbd aria-hidden="true" className="hidden shrink-0 rounded-[5px] border border-line px-1.5 font-sans text-small text-muted tabular pointer-fine:inline">
                {index + 1}
              </kbd>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
