/** The list of conversations: search, open, rename, export, delete. */

import { Hourglass, Plus, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { open, startNew } from '../state/conversation';
import { loadMore, refreshList } from '../state/list';
import { openPage } from '../state/pages';
import { currentProject, useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { onEscape } from '../ui/escape';
import { ProjectLogo } from '../ui/Logo';
import { useNow } from '../ui/now';
import { byAge } from './days';
import { ListRow } from './ListRow';

/** `chosen` is called when a conversation was chosen, so that a drawer can close. */
export function Sidebar({ chosen }: { chosen(): void }) {
  const { t } = useI18n();
  return (
    <nav aria-label={t('list.label')} className="flex min-h-0 grow flex-col">
      <div className="space-y-3 px-3 pt-3 pb-2">
        <Brand />
        <Button
          className="w-full justify-start"
          icon={<Plus size={16} aria-hidden="true" />}
          onClick={() => {
            startNew();
            chosen();
          }}
        >
          {t('list.new')}
        </Button>
        <WaitingLink chosen={chosen} />
        <SearchField />
      </div>
      <Rows chosen={chosen} />
    </nav>
  );
}

/** The mark of the product, or that of a project with a logo of its own. */
function Brand() {
  const project = useParlor(currentProject);
  const own = project?.look?.logo !== undefined;
  return (
    <p className="flex min-w-0 items-center gap-2 px-1.5 font-serif text-title font-semibold">
      <ProjectLogo look={project?.look} />
      <span className="min-w-0 truncate">{own ? project.name : 'Parlor'}</span>
    </p>
  );
}

/** The page of all prompts that wait, with their number. */
function WaitingLink({ chosen }: { chosen(): void }) {
  const { t, count, number } = useI18n();
  const waiting = useParlor((state) => state.waiting.length);
  const current = useParlor((state) => state.page === 'waiting');
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      onClick={() => {
        openPage('waiting');
        chosen();
      }}
      className={classes(
        'flex min-h-9 w-full items-center gap-2 rounded-control px-3.5 text-start pointer-coarse:min-h-11',
        current ? 'bg-raised font-medium' : 'text-muted hover:bg-raised hover:text-ink',
      )}
    >
      <Hourglass size={16} aria-hidden="true" className="shrink-0" />
      <span className="min-w-0 grow truncate">{t('waiting.title')}</span>{' '}
      {waiting > 0 && (
        <span className="shrink-0 rounded-full bg-question px-2 text-small font-semibold text-page tabular">
          <span aria-hidden="true">{number(waiting)}</span>
          <span className="sr-only">{count('waiting.count', waiting)}</span>
        </span>
      )}
    </button>
  );
}

const TYPING = 200;

function SearchField() {
  const { t } = useI18n();
  const [query, setQuery] = useState('');
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const timer = setTimeout(() => void refreshList(query), TYPING);
    return () => clearTimeout(timer);
  }, [query]);
  return (
    <div className="relative">
      <Search size={15} aria-hidden="true" className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        type="search"
        dir="auto"
        className="field border-transparent bg-raised py-1.5 ps-9"
        placeholder={t('list.search')}
        aria-label={t('list.search')}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={query === '' ? undefined : onEscape(() => setQuery(''))}
      />
    </div>
  );
}

function Rows({ chosen }: { chosen(): void }) {
  const { t } = useI18n();
  const list = useParlor((state) => state.list);
  const current = useParlor((state) => (state.page === 'chat' ? state.conversation.id : null));
  const waiting = useParlor((state) => state.waiting);
  const now = useNow(60_000);
  return (
    <div className="min-h-0 grow overflow-y-auto px-2 pb-4">
      {list.state === 'failed' && (
        <div role="alert" className="space-y-2 px-2.5 py-2 text-small">
          <p>{t('list.failed')}</p>
          <Button onClick={() => void refreshList()}>{t('try_again')}</Button>
        </div>
      )}
      {list.state === 'ready' && list.rows.length === 0 && (
        <p className="px-2.5 py-2 text-small text-muted">{t(list.query ? 'list.nothing_found' : 'list.empty')}</p>
      )}
      {byAge(list.rows, now).map(([age, rows]) => (
        <section key={age} className="mt-3">
          <h2 className="px-2.5 pb-1 text-small font-medium text-muted">{t(`list.${age}`)}</h2>
          <ul>
            {rows.map((row) => (
              <ListRow
                key={row.id}
                row={row}
                current={row.id === current}
                waits={waiting.some((prompt) => prompt.conversation_id === row.id)}
                open={() => {
                  void open(row.id);
                  chosen();
                }}
              />
            ))}
          </ul>
        </section>
      ))}
      {list.nextBefore !== null && (
        <Button look="quiet" className="mt-2 w-full" onClick={() => void loadMore()}>
          {t('list.more')}
        </Button>
      )}
    </div>
  );
}
