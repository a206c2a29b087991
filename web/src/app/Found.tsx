/** What the search of the list found: titles, then messages, each with the words marked. */

import { Archive } from 'lucide-react';
import { type KeyboardEvent, type ReactNode } from 'react';

import { useI18n } from '../i18n';
import { serverNow } from '../net/clock';
import { open } from '../state/conversation';
import { findMore, searchFor, useSearch } from '../state/search';
import { Button } from '../ui/Button';
import { Marked } from '../ui/Marked';
import { useNow } from '../ui/now';

/** `chosen` is called when something was opened; `back` when the keyboard leaves the list at its top. */
export function Found({ chosen, back }: { chosen(): void; back(): void }) {
  const { t, count } = useI18n();
  const { query, titles, messages, nextBefore, state } = useSearch();
  const found = titles.length + messages.length;
  const go = (id: string, message: string | null) => {
    void open(id, message);
    chosen();
  };
  return (
    <div className="min-h-0 grow overflow-y-auto px-2 pb-4" onKeyDown={(event) => moveIn(event, back)} aria-busy={state === 'reading'} data-found="">
      <p role="status" className={found === 0 && state === 'ready' ? 'px-2.5 py-2 text-small text-muted' : 'sr-only'}>
        {state === 'ready' && (found === 0 ? t('list.nothing_found') : count('search.found', found))}
      </p>
      {state === 'failed' && (
        <div role="alert" className="space-y-2 px-2.5 py-2 text-small">
          <p>{t('search.failed')}</p>
          <Button onClick={() => void searchFor(query)}>{t('try_again')}</Button>
        </div>
      )}
      {titles.length > 0 && (
        <Section title={t('search.titles')}>
          {titles.map((hit) => (
            <Result key={hit.conversation_id} archived={hit.archived} at={hit.updated_at} open={() => go(hit.conversation_id, null)}>
              <span dir="auto" className="block truncate font-medium"><Marked {...hit.title} /></span>
            </Result>
          ))}
        </Section>
      )}
      {messages.length > 0 && (
        <Section title={t('search.messages')}>
          {messages.map((hit) => (
            <Result key={hit.message_id} archived={hit.archived} at={hit.at} title={hit.title} open={() => go(hit.conversation_id, hit.message_id)}>
              <span dir="auto" className="line-clamp-3 block text-small wrap-anywhere"><Marked {...hit.excerpt} /></span>
            </Result>
          ))}
        </Section>
      )}
      {nextBefore !== null && (
        <Button look="quiet" className="mt-2 w-full" onClick={() => void findMore()}>
          {t('list.more')}
        </Button>
      )}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-3">
      <h2 className="px-2.5 pb-1 text-small font-medium text-muted">{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

interface ResultProps {
  archived: boolean;
  at: number;
  /** The title of its conversation, if it is a message. */
  title?: string;
  open(): void;
  children: ReactNode;
}

function Result({ archived, at, title, open: show, children }: ResultProps) {
  const { t, ago } = useI18n();
  const now = serverNow(useNow(60_000));
  return (
    <li>
      <button type="button" onClick={show} className="block w-full min-w-0 space-y-0.5 rounded-control px-2.5 py-1.5 text-start hover:bg-raised focus-visible:bg-raised">
        {children}
        <span className="flex min-w-0 items-center gap-1.5 text-small text-muted">
          {title !== undefined && <span dir="auto" className="min-w-0 truncate">{title}</span>}
          {title !== undefined && <span aria-hidden="true">·</span>}
          <span className="shrink-0">{ago(at, now)}</span>
          {archived && (
            <span className="flex shrink-0 items-center gap-1">
              <span aria-hidden="true">·</span>
              <Archive size={12} aria-hidden="true" />
              {t('list.archived')}
            </span>
          )}
        </span>
      </button>
    </li>
  );
}

/** The arrow keys move from result to result; above the first one they go back to the field. */
function moveIn(event: KeyboardEvent<HTMLElement>, back: () => void): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const next = all.indexOf(document.activeElement as HTMLElement) + step;
  if (next < 0) back();
  else all[next]?.focus();
}
