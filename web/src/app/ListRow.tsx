import { Archive, ArchiveRestore, Ellipsis, FileJson, FileText, Link, Lock, Pencil, Pin, PinOff, Trash2, Users } from 'lucide-react';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';

import { type I18n, useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { type ConversationSummary, exportPath, type Visibility } from '../net/api';
import { open, startNew } from '../state/conversation';
import { place, remove, rename, restore, setVisibility } from '../state/list';
import { getState, useParlor } from '../state/store';
import { announce } from '../ui/announce';
import { Button, IconButton } from '../ui/Button';
import { classes } from '../ui/classes';
import { onEscape } from '../ui/escape';
import { Menu } from '../ui/Menu';
import { showToast } from '../ui/toast';
import { AskToDelete } from './AskToDelete';

const ShareDialog = lazy(() => import('./ShareDialog'));

interface Props {
  row: ConversationSummary;
  current: boolean;
  /** Whether it has an open prompt. */
  waits: boolean;
  open(): void;
}

export function ListRow({ row, current, waits, open: show }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const [doing, setDoing] = useState<'nothing' | 'renaming' | 'deleting' | 'sharing'>('nothing');
  const me = useParlor((state) => state.me?.person?.id);
  const undoes = useParlor((state) => (state.me?.limits.undo_deletion_seconds ?? 0) > 0);
  // Those of the shared account are everybody's, and nothing is said about them.
  const isShared = row.person !== undefined && row.visibility === 'tenant';
  const isOwn = row.person !== undefined && row.person === me;
  const links = useParlor((state) => state.me !== null && state.me.share_links !== 'off');
  const name = useRef<HTMLButtonElement>(null);
  const finished = useRef(false);
  const finish = (refusal: Parameters<typeof reasonFor>[1] | null) => {
    if (refusal) announce(reasonFor(i18n, refusal), 'urgent');
    finished.current = true;
    setDoing('nothing');
  };
  useEffect(() => {
    // After renaming or keeping it, the keyboard goes on from here.
    if (doing === 'nothing' && finished.current) name.current?.focus();
    finished.current = false;
  }, [doing]);
  const moveTo = (change: { pinned?: boolean; archived?: boolean }) => {
    if (change.archived !== undefined) focusBeside(name.current);
    void place(row.id, change).then((refusal) => {
      if (refusal) return announce(reasonFor(i18n, refusal), 'urgent');
      const done = change.pinned !== undefined ? (change.pinned ? 'list.now_pinned' : 'list.now_unpinned') : change.archived ? 'list.now_archived' : 'list.now_unarchived';
      if (change.archived === undefined) return announce(t(done));
      showToast({ text: t(done), action: { label: t('toast.undo'), run: () => void place(row.id, { archived: !change.archived }) } });
    });
  };
  const deleteIt = () => {
    // Without a time in which it can be undone, it is asked about first.
    if (!undoes) return setDoing('deleting');
    const isOpen = getState().conversation.id === row.id;
    focusBeside(name.current);
    void remove(row.id, false).then((refusal) => {
      if (refusal) return finish(refusal);
      if (isOpen) startNew();
      const undo = () => void restore(row.id).then((refused) => (refused ? announce(reasonFor(i18n, refused), 'urgent') : isOpen && void open(row.id)));
      showToast({ text: t('list.now_deleted'), action: { label: t('toast.undo'), run: undo } });
    });
  };
  if (doing === 'renaming') {
    return <Renaming title={row.title} done={(title) => void (title === null ? finish(null) : rename(row.id, title).then(finish))} />;
  }
  if (doing === 'deleting') {
    return (
      <AskToDelete
        done={(yes) => {
          if (!yes) return finish(null);
          void remove(row.id, true).then((refusal) => {
            if (refusal) finish(refusal);
            if (!refusal && getState().conversation.id === row.id) startNew();
          });
        }}
      />
    );
  }
  return (
    <li className={classes('group/row relative flex items-center rounded-control', current ? 'bg-raised' : 'hover:bg-raised')}>
      <button
        ref={name}
        type="button"
        onClick={show}
        aria-current={current ? 'true' : undefined}
        className="flex min-w-0 grow items-center gap-2 rounded-control px-2.5 py-1.5 text-start pointer-coarse:min-h-11"
      >
        <span dir="auto" className={classes('min-w-0 grow truncate text-start', current && 'font-medium')}>{row.title}</span>
        {isShared && <SharedMark label={t('list.shared')} />}
        {waits ? <Dot className="bg-question" label={t('list.waits')} /> : row.running && <Dot className="animate-pulse-soft bg-accent" label={t('list.running')} />}
      </button>
      <Menu
        label={t('list.actions', { title: row.title })}
        trigger={(menu) => (
          <IconButton
            label={t('list.actions', { title: row.title })}
            className="absolute end-0.5 size-8 bg-raised opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
            {...menu}
          >
            <Ellipsis size={16} aria-hidden="true" />
          </IconButton>
        )}
        items={[
          { key: 'rename', label: t('list.rename'), icon: <Pencil size={15} />, run: () => setDoing('renaming') },
          row.pinned
            ? { key: 'unpin', label: t('list.unpin'), icon: <PinOff size={15} />, run: () => moveTo({ pinned: false }) }
            : { key: 'pin', label: t('list.pin'), icon: <Pin size={15} />, run: () => moveTo({ pinned: true }) },
          row.archived
            ? { key: 'unarchive', label: t('list.unarchive'), icon: <ArchiveRestore size={15} />, run: () => moveTo({ archived: false }) }
            : { key: 'archive', label: t('list.archive'), icon: <Archive size={15} />, run: () => moveTo({ archived: true }) },
          ...(isOwn ? visibilityItems(row, i18n) : []),
          ...(links && (isOwn || row.person === undefined)
            ? [{ key: 'share', label: t('share.open'), icon: <Link size={15} />, run: () => setDoing('sharing') }]
            : []),
          { key: 'markdown', label: t('list.export_markdown'), icon: <FileText size={15} />, href: exportPath(row.id, 'markdown') },
          { key: 'json', label: t('list.export_json'), icon: <FileJson size={15} />, href: exportPath(row.id, 'json') },
          // That of a person is deleted by them alone.
          ...(isOwn || row.person === undefined
            ? [{ key: 'delete', label: t('list.delete'), icon: <Trash2 size={15} />, critical: true, run: deleteIt }]
            : []),
        ]}
      />
      {doing === 'sharing' && (
        <Suspense fallback={null}>
          <ShareDialog conversation={row.id} title={row.title} close={() => finish(null)} />
        </Suspense>
      )}
    </li>
  );
}

/** Before a row leaves the list the keyboard goes to the one beside it. */
function focusBeside(inside: HTMLElement | null): void {
  const row = inside?.closest('li');
  const beside = row?.nextElementSibling ?? row?.previousElementSibling;
  beside?.querySelector('button')?.focus();
}

/** Who sees it: of the two items one is checked. */
function visibilityItems(row: ConversationSummary, i18n: I18n) {
  const { t } = i18n;
  const choose = (visibility: Visibility) => {
    if (visibility === row.visibility) return;
    void setVisibility(row.id, visibility).then((refusal) => {
      if (refusal) announce(reasonFor(i18n, refusal), 'urgent');
      else announce(t(visibility === 'tenant' ? 'list.now_shared' : 'list.now_private'));
    });
  };
  return [
    { key: 'private', label: t('list.make_private'), icon: <Lock size={15} />, checked: row.visibility === 'private', run: () => choose('private') },
    { key: 'tenant', label: t('list.shared'), icon: <Users size={15} />, checked: row.visibility === 'tenant', run: () => choose('tenant') },
  ];
}

function SharedMark({ label }: { label: string }) {
  return (
    <span className="shrink-0 text-muted pointer-fine:group-focus-within/row:opacity-0 pointer-fine:group-hover/row:opacity-0" title={label}>
      <Users size={13} aria-hidden="true" />
      <span className="sr-only">{label}</span>
    </span>
  );
}

function Dot({ className, label }: { className: string; label: string }) {
  return (
    <span className="flex shrink-0 items-center pointer-fine:group-focus-within/row:opacity-0 pointer-fine:group-hover/row:opacity-0 pointer-coarse:me-9" title={label}>
      <span aria-hidden="true" className={classes('size-2 rounded-full', className)} />
      <span className="sr-only">{label}</span>
    </span>
  );
}

function Renaming({ title, done }: { title: string; done(title: string | null): void }) {
  const { t } = useI18n();
  const [text, setText] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const fresh = text.trim();
    done(fresh === '' || fresh === title ? null : fresh);
  };
  return (
    <li>
      <form onSubmit={submit} className="space-y-2 rounded-control bg-raised p-2">
        <input
          dir="auto"
          className="field py-1"
          aria-label={t('list.rename_label')}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onEscape(() => done(null))}
          onFocus={(event) => event.target.select()}
          autoFocus
        />
        <div className="flex gap-2">
          <Button type="submit" look="primary">{t('list.rename_save')}</Button>
          <Button look="quiet" onClick={() => done(null)}>{t('cancel')}</Button>
        </div>
      </form>
    </li>
  );
}
