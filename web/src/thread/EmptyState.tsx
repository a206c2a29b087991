/** Before the first message: a greeting, the conversation that was left, and suggestions. */

import { CircleHelp, ListTree, Route, ShieldQuestion, Sparkles } from 'lucide-react';

import { type Key, useI18n } from '../i18n';
import { open, sendText } from '../state/conversation';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { Logo } from '../ui/Logo';
import { useNow } from '../ui/now';

interface Suggestion {
  text: Key;
  hint: Key;
  icon: typeof Route;
  mode?: 'plan';
}

/** For a project with Recipe Vault. */
const WITH_RECIPES: Suggestion[] = [
  { text: 'suggestion.list', hint: 'suggestion.list_hint', icon: ListTree },
  { text: 'suggestion.approval', hint: 'suggestion.approval_hint', icon: ShieldQuestion },
  { text: 'suggestion.plan', hint: 'suggestion.plan_hint', icon: Route, mode: 'plan' },
  { text: 'suggestion.question', hint: 'suggestion.question_hint', icon: CircleHelp },
];

/** For any other project. */
const ANYWHERE: Suggestion[] = [
  { text: 'suggestion.abilities', hint: 'suggestion.abilities_hint', icon: Sparkles },
  { text: 'suggestion.any_plan', hint: 'suggestion.plan_hint', icon: Route, mode: 'plan' },
];

function useSuggestions(): readonly Suggestion[] {
  return useParlor(({ me, project }) => {
    const current = me?.projects.find((one) => one.id === project);
    if (!current) return NONE;
    return current.recipe_vault ? WITH_RECIPES : ANYWHERE;
  });
}

/** Until the project is known. */
const NONE: readonly Suggestion[] = [];

export function EmptyState() {
  const { t } = useI18n();
  const suggestions = useSuggestions();
  return (
    <div className="my-auto flex flex-col gap-8 py-6">
      <div className="space-y-3">
        <Logo size={36} />
        <h1 className="font-serif text-display font-semibold text-balance">{t('empty.title')}</h1>
        <p className="max-w-prose text-pretty text-muted">{t('empty.text')}</p>
      </div>
      <UnfinishedConversation />
      <ul className="grid gap-3 sm:grid-cols-2">
        {suggestions.map(({ text, hint, icon: Icon, mode }) => (
          <li key={text}>
            <button
              type="button"
              onClick={() => void sendText(t(text), mode)}
              className="flex h-full w-full items-start gap-3 rounded-card border border-line bg-surface p-4 text-start transition-colors duration-100 hover:border-accent hover:bg-raised"
            >
              <Icon size={18} aria-hidden="true" className="mt-0.5 shrink-0 text-accent" />
              <span>
                <span className="block font-medium">{t(text)}</span>
                <span className="block text-small text-muted">{t(hint)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const WHY: Record<'running' | 'prompt' | 'last', Key> = {
  running: 'left.running',
  prompt: 'left.prompt',
  last: 'left.last',
};

/** K-3: a reload begins a new conversation and offers the last one, loudly if it is running or has an open prompt. */
function UnfinishedConversation() {
  const { t, ago } = useI18n();
  const unfinished = useParlor((state) => state.unfinished);
  const now = useNow(60_000);
  if (!unfinished) return null;
  const { summary, why } = unfinished;
  const loud = why !== 'last';
  return (
    <div
      role={loud ? 'alert' : 'status'}
      className={classes(
        'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border bg-surface py-3 ps-5 pe-3',
        loud ? 'border-question shadow-[inset_3px_0_0_var(--question)]' : 'border-line',
      )}
    >
      <p className="min-w-48 grow basis-0">
        <span className={classes('block', loud ? 'font-semibold' : 'text-small text-muted')}>{t(WHY[why])}</span>
        <span className="block">
          {summary.title} <span className="text-small text-muted">{ago(summary.updated_at, now)}</span>
        </span>
      </p>
      <Button look={loud ? 'primary' : 'secondary'} onClick={() => void open(summary.id)}>
        {t('left.open')}
      </Button>
    </div>
  );
}
