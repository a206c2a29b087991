/** The lists of conversations: the ordinary one, the archive, those that were deleted; or what a search found. */

import { Archive, ArrowLeft, Hourglass, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';

import { type I18n, useI18n } from '../i18n';
import { open, startNew } from '../state/conversation';
import { loadMore, refreshList } from '../state/list';
import { openPage } from '../state/pages';
import { useSearch } from '../state/search';
import { currentProject, getState, useParlor } from '../state/store';
import { Button, IconButton } from '../ui/Button';
import { classes } from '../ui/classes';
import { ProjectLogo } from '../ui/Logo';
import { useNow } from '../ui/now';
import { byAge } from './days';
import { DeletedRow } from './DeletedRow';
import { Found } from './Found';
import { ListRow } from './ListRow';
import { SearchField } from './SearchField';

/** `chosen` is called when a conversation was chosen, so that a drawer can close. */
export function Sidebar({ chosen }: { chosen(): void }) {
  const { t } = useI18n();
  const field = useRef<HTMLInputElement>(null);
  const searching = useSearch((state) => state.state !== 'idle');
  return (
    <nav aria-label={t('list.label')} className="flex min-h-0 grow flex-col">
      <div className="space-y-3 px-3 pt-3 pb-2">
        <Brand />
        <Button
          className="w-full justify-start"
          icon={<Plus size={16} aria-hidden="true" />}
          onClick={() => {
            startNew();
            if (getState().list.name !== 'current') void refreshList('current');
            chosen();
          }}
        >
          {t('list.new')}
        </Button>
        <WaitingLink chosen={chosen} />
        <SearchField field={field} />
      </div>
      {searching ? <Found chosen={chosen} back={() => field.current?.focus()} /> : <Rows chosen={chosen} />}
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

function Rows({ chosen }: { chosen(): void }) {
  const { t } = useI18n();
  const list = useParlor((state) => state.list);
  const current = useParlor((state) => (state.page === 'chat' ? state.conversation.id : null));
  const waiting = useParlor((state) => state.waiting);
  const now = useNow(60_000);
  return (
    <div className="min-h-0 grow overflow-y-auto px-2 pb-4">
      {list.name !== 'current' && <ListHead name={list.name} />}
      {list.state === 'failed' && (
        <div role="alert" className="space-y-2 px-2.5 py-2 text-small">
          <p>{t('list.failed')}</p>
          <Button onClick={() => void refreshList()}>{t('try_again')}</Button>
        </div>
      )}
      {list.state === 'ready' && list.rows.length === 0 && <p className="px-2.5 py-2 text-small text-muted">{t(EMPTY[list.name])}</p>}
      {byAge(list.rows, now).map(([age, rows]) => (
        <section key={age} className="mt-3">
          <h2 className="px-2.5 pb-1 text-small font-medium text-muted">{t(`list.${age}`)}</h2>
          <ul>
            {rows.map((row) =>
              list.name === 'deleted' ? (
                <DeletedRow key={row.id} row={row} />
              ) : (
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
              ),
            )}
          </ul>
        </section>
      ))}
      {list.nextBefore !== null && (
        <Button look="quiet" className="mt-2 w-full" onClick={() => void loadMore()}>
          {t('list.more')}
        </Button>
      )}
      {list.name === 'current' && list.state === 'ready' && <OtherLists />}
    </div>
  );
}

const EMPTY = { current: 'list.empty', archived: 'list.empty_archive', deleted: 'list.empty_deleted' } as const;

/** The name of another list than the ordinary one, and the way back. */
function ListHead({ name }: { name: 'archived' | 'deleted' }) {
  const { t } = useI18n();
  const seconds = useParlor((state) => state.me?.limits.undo_deletion_seconds ?? 0);
  return (
    <div className="mt-1 space-y-1 border-b border-line pb-2">
      <div className="flex items-center gap-1">
        <IconButton label={t('list.back')} onClick={() => void refreshList('current')} autoFocus>
          <ArrowLeft size={16} aria-hidden="true" />
        </IconButton>
        <h2 className="font-medium">{t(`list.${name}`)}</h2>
      </div>
      {name === 'deleted' && <p className="px-2.5 text-small text-muted">{t('list.deleted_hint', { time: kept(t, seconds) })}</p>}
    </div>
  );
}

function kept(t: I18n['t'], seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  if (days > 0) return t('time.days', { days });
  return t('time.hours', { hours: Math.max(1, Math.round(seconds / 3_600)) });
}

/** The ways to the other lists, at the end of this one. */
function OtherLists() {
  const { t } = useI18n();
  const undoes = useParlor((state) => (state.me?.limits.undo_deletion_seconds ?? 0) > 0);
  return (
    <div className="mt-4 border-t border-line pt-2">
      <OtherList icon={<Archive size={15} aria-hidden="true" />} label={t('list.archived')} name="archived" />
      {undoes && <OtherList icon={<Trash2 size={15} aria-hidden="true" />} label={t('list.deleted')} name="deleted" />}
    </div>
  );
}

function OtherList({ icon, label, name }: { icon: ReactNode; label: string; name: 'archived' | 'deleted' }) {
  return (
    <button
      type="button"
      onClick={() => void refreshList(name)}
      className="flex min-h-9 w-full items-center gap-2 rounded-control px-2.5 text-start text-muted hover:bg-raised hover:text-ink pointer-coarse:min-h-11"
    >
      <span className="shrink-0">{icon}</span>
      {label}
    </button>
  );
}
