/** What waits for an answer, of everybody: who is asked, since when, and what, if it is for the reader. */

import { promptTitle } from '../cards/outcome';
import { type I18n, useI18n } from '../i18n';
import * as admin from '../net/admin';
import { serverNow } from '../net/clock';
import { open } from '../state/conversation';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';
import { VisibleText } from '../ui/VisibleText';
import { More } from './More';
import { usePages } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';

export function Prompts() {
  const { t } = useI18n();
  const { rows, refusal, more } = usePages(admin.waitingPrompts);
  return (
    <Section title={t('admin.prompts')} empty={rows?.length === 0 ? t('admin.prompts.none') : null}>
      <Refused refusal={refusal} />
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {rows?.map((prompt) => <Row key={prompt.id} prompt={prompt} />)}
      </ul>
      <More more={more} />
    </Section>
  );
}

function Row({ prompt }: { prompt: admin.WaitingPrompt }) {
  const i18n = useI18n();
  const { t, ago, moment, time } = i18n;
  const now = serverNow(useNow(30_000));
  const project = useParlor((state) => state.me?.projects.find((one) => one.id === prompt.project)?.name ?? prompt.project);
  const { content } = prompt;
  const title = content ? promptTitle(i18n, content.prompt, true) : kind(i18n, prompt.origin);
  const parts = [
    t('admin.prompts.of', { who: prompt.person_name ?? t('admin.shared_account') }),
    project,
    ...(content ? [content.title] : []),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div className="min-w-48 grow basis-0">
        <p dir="auto" className="font-medium"><VisibleText text={title} /></p>
        <p className="text-small text-muted">
          {parts.join(' · ')} · <time title={moment(prompt.opened_at)}>{t('admin.prompts.since', { when: ago(prompt.opened_at, now) })}</time>
          {prompt.expires_at !== undefined && ` · ${t('admin.prompts.until', { when: time(prompt.expires_at) })}`}
        </p>
        {!content && <p className="text-small text-muted">{t('admin.private')}</p>}
      </div>
      {content && (
        <Button look="quiet" aria-label={`${t('left.open')}: ${title}`} onClick={() => void open(content.conversation_id)}>
          {t('left.open')}
        </Button>
      )}
    </li>
  );
}

function kind({ t }: I18n, origin: string): string {
  if (origin === 'approval') return t('admin.prompts.approval');
  return origin.startsWith('mcp:') ? t('admin.prompts.server', { server: origin.slice('mcp:'.length) }) : t('admin.prompts.agent');
}
