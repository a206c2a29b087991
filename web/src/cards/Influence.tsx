/** What the agent read before a call that others may have written, and where each value of the call stands (F-2). */

import { Eraser, MailWarning } from 'lucide-react';
import type { ReactNode } from 'react';

import { useI18n } from '../i18n';
import { fieldLabel } from '../i18n/fields';
import { readableName } from '../i18n/tools';
import type { Influence, Source, ToolCall, ValueOrigin } from '../protocol/generated';
import { valueAt } from '../schema/pointer';
import { goOnWithoutRead } from '../state/conversation';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { useNow } from '../ui/now';
import { VisibleText } from '../ui/VisibleText';
import { readableValue } from './preview/record';

const LONGEST_VALUE = 160;

interface Props {
  influence: Influence;
  call: ToolCall;
  /** What can be done about it. */
  children?: ReactNode;
}

export function InfluenceBox({ influence, call, children }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const { sources, more = 0, values } = influence;
  return (
    <section aria-label={t('influence.label')} className="space-y-2.5 rounded-control border border-warning/40 bg-warning/5 p-3.5 text-small">
      <div className="flex items-start gap-2">
        <MailWarning size={16} aria-hidden="true" className="mt-[2px] shrink-0 text-warning" />
        <div className="min-w-0 space-y-1">
          <p className="font-medium">{t('influence.read')}</p>
          <ul className="space-y-0.5">
            {sources.map((source, at) => (
              <li key={at}>
                <SourceName source={source} />
              </li>
            ))}
            {more > 0 && <li className="text-muted">{i18n.count('influence.more', more)}</li>}
          </ul>
        </div>
      </div>
      {values.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
          {values.map((value) => (
            <Value key={value.pointer} value={value} call={call} sources={sources} />
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}

/** The call is not made, and the agent forgets what it read. */
export function GoOnWithoutRead({ conversation, busy }: { conversation: string; busy: boolean }) {
  const { t } = useI18n();
  // It stops the turn of the conversation that is open.
  const isOpen = useParlor((state) => state.page === 'chat' && state.conversation.id === conversation);
  if (!isOpen) return null;
  return (
    <p>
      <Button look="quiet" className="-ms-3" disabled={busy} icon={<Eraser size={14} aria-hidden="true" />} onClick={() => void goOnWithoutRead(t('influence.go_on_said'))}>
        {t('influence.go_on')}
      </Button>
      <span className="block text-muted">{t('influence.go_on_hint')}</span>
    </p>
  );
}

/** What was read: the tool, and what it read. */
export function SourceName({ source }: { source: Source }) {
  const i18n = useI18n();
  const now = useNow(60_000);
  return (
    <span>
      {source.server === 'attachment' ? i18n.t('influence.file') : readableName(source.tool)}
      {source.what !== undefined && (
        <>
          : <q className="break-words"><VisibleText text={source.what} /></q>
        </>
      )}
      {source.at !== undefined && <span className="text-muted"> · {i18n.ago(source.at, now)}</span>}
      {source.suspicious && <span className="font-medium text-critical"> · {i18n.t('influence.orders')}</span>}
    </span>
  );
}

const ORIGINS = { person: 'text-success', source: 'text-warning', nowhere: 'text-muted' } as const;

function Value({ value, call, sources }: { value: ValueOrigin; call: ToolCall; sources: readonly Source[] }) {
  const i18n = useI18n();
  const { t } = i18n;
  const shown = readableValue(valueAt(call.input, value.pointer));
  const source = value.found === 'source' ? sources[value.source] : undefined;
  return (
    <div className="col-span-2 grid grid-cols-subgrid">
      <dt className="text-muted">{labelOf(i18n, value.pointer)}</dt>
      <dd className="min-w-0">
        <span className="font-medium break-words">
          <VisibleText text={shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown} />
        </span>{' '}
        <span className={classes('font-medium', ORIGINS[value.found])}>
          · {value.found === 'source' ? t('influence.from', { what: source?.what ?? readableName(source?.tool ?? '') }) : t(`influence.${value.found}`)}
        </span>
        {value.found === 'source' && (
          <q className="mt-0.5 block border-s-2 border-line ps-2 break-words text-muted">
            <VisibleText text={`…${value.before}`} />
            <mark className="rounded-sm bg-warning/20 text-ink">
              <VisibleText text={value.text} />
            </mark>
            <VisibleText text={`${value.after}…`} />
          </q>
        )}
      </dd>
    </div>
  );
}

/** The name of a value: its field, and its place in a list. */
function labelOf(i18n: ReturnType<typeof useI18n>, pointer: string): string {
  const names = pointer.split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : fieldLabel(i18n, name))).join(' ');
}
