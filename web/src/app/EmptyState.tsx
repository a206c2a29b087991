/** Before the first word: a greeting, what was left behind, and four things to try. */

import { CircleHelp, ListTree, Route, ShieldQuestion } from 'lucide-react';

import { open, say } from '../state/conversation';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { useNow } from '../ui/now';
import { type Key, useWords } from '../words';
import { Mark } from './Mark';

const SUGGESTIONS: { key: 'list' | 'approval' | 'plan' | 'question'; icon: typeof Route; mode?: 'plan' }[] = [
  { key: 'list', icon: ListTree },
  { key: 'approval', icon: ShieldQuestion },
  { key: 'plan', icon: Route, mode: 'plan' },
  { key: 'question', icon: CircleHelp },
];

export function EmptyState() {
  const { t } = useWords();
  return (
    <div className="my-auto flex flex-col gap-8 py-6">
      <div className="space-y-3">
        <Mark size={36} />
        <h1 className="font-serif text-display font-semibold text-balance">{t('empty.title')}</h1>
        <p className="max-w-prose text-pretty text-muted">{t('empty.text')}</p>
      </div>
      <LeftBehind />
      <ul className="grid gap-3 sm:grid-cols-2">
        {SUGGESTIONS.map(({ key, icon: Icon, mode }) => (
          <li key={key}>
            <button
              type="button"
              onClick={() => void say(t(`suggestion.${key}`), mode)}
              className="flex h-full w-full items-start gap-3 rounded-card border border-line bg-surface p-4 text-start transition-colors duration-100 hover:border-accent hover:bg-raised"
            >
              <Icon size={18} aria-hidden="true" className="mt-0.5 shrink-0 text-accent" />
              <span>
                <span className="block font-medium">{t(`suggestion.${key}`)}</span>
                <span className="block text-small text-muted">{t(`suggestion.${key}_hint`)}</span>
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

/** K-3: a reload begins anew; what was open is offered, loudly if it goes on or waits. */
function LeftBehind() {
  const { t, ago } = useWords();
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
