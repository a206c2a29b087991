/** Before the first message: a greeting, the conversation that was left, and suggestions. */

import { CircleHelp, FileDown, ListTree, Route, ShieldQuestion, Sparkles } from 'lucide-react';

import { EMBEDDING } from '../browser/embedded';
import { type I18n, type Key, useI18n } from '../i18n';
import type { Look, Project } from '../net/api';
import type { Mode } from '../protocol/generated';
import { open, sendText } from '../state/conversation';
import { currentProject, setState, useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { ProjectLogo } from '../ui/Logo';
import { useNow } from '../ui/now';

interface Suggestion {
  text: string;
  hint: string | null;
  icon: typeof Route;
  mode?: Mode;
}

const usual = ({ t }: I18n, name: SuggestionName, icon: typeof Route, mode?: Mode): Suggestion => ({
  text: t(`suggestion.${name}`),
  hint: t(name === 'any_plan' ? 'suggestion.plan_hint' : `suggestion.${name}_hint`),
  icon,
  ...(mode ? { mode } : {}),
});

type SuggestionName = 'list' | 'approval' | 'plan' | 'question' | 'abilities' | 'any_plan';

/** For a project with Recipe Vault. */
const withRecipes = (i18n: I18n): Suggestion[] => [
  usual(i18n, 'list', ListTree),
  usual(i18n, 'approval', ShieldQuestion),
  usual(i18n, 'plan', Route, 'plan'),
  usual(i18n, 'question', CircleHelp),
];

/** For any other project. */
const anywhere = (i18n: I18n): Suggestion[] => [usual(i18n, 'abilities', Sparkles), usual(i18n, 'any_plan', Route, 'plan')];

/** Those of the configuration. */
const configured = ({ language }: I18n, list: NonNullable<Look['suggestions']>): Suggestion[] =>
  list.map(({ text, hint, mode }) => ({
    text: text[language],
    hint: hint?.[language] ?? null,
    icon: mode === 'plan' ? Route : Sparkles,
    ...(mode ? { mode } : {}),
  }));

/** None until the project is known. */
function suggestionsFor(i18n: I18n, project: Project | null): Suggestion[] {
  if (project === null) return [];
  if (project.look?.suggestions) return configured(i18n, project.look.suggestions);
  return project.recipe_vault ? withRecipes(i18n) : anywhere(i18n);
}

export function EmptyState() {
  const i18n = useI18n();
  const { t, language } = i18n;
  const project = useParlor(currentProject);
  const look = project?.look;
  return (
    <div className="my-auto flex flex-col gap-8 py-6">
      <div className="space-y-3">
        <ProjectLogo look={look} size={36} />
        <h1 dir="auto" className="font-serif text-display font-semibold text-balance">{look?.greeting?.[language] ?? t('empty.title')}</h1>
        <p dir="auto" className="max-w-prose text-pretty text-muted">{look?.intro?.[language] ?? t('empty.text')}</p>
      </div>
      <UnfinishedConversation />
      <ul className="grid gap-3 sm:grid-cols-2">
        {suggestionsFor(i18n, project).map(({ text, hint, icon: Icon, mode }, at) => (
          <li key={at}>
            <button
              type="button"
              onClick={() => void sendText(text, mode)}
              className="flex h-full w-full items-start gap-3 rounded-card border border-line bg-surface p-4 text-start transition-colors duration-100 hover:border-accent hover:bg-raised"
            >
              <Icon size={18} aria-hidden="true" className="mt-0.5 shrink-0 text-accent" />
              <span className="min-w-0">
                <span className="block font-medium">{text}</span>
                {hint !== null && <span className="block text-small text-muted">{hint}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <ImportLink />
    </div>
  );
}

/** Where there are recipes, one can be brought along. */
function ImportLink() {
  const { t } = useI18n();
  const has = useParlor((state) => currentProject(state)?.recipe_vault ?? false);
  if (!has || EMBEDDING) return null;
  return (
    <Button look="quiet" className="-mt-4 self-start" icon={<FileDown size={16} aria-hidden="true" />} onClick={() => setState({ panel: { kind: 'recipe_import', id: 'new' } })}>
      {t('import.open')}
    </Button>
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
