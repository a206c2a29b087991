/** What goes on right now: questions that wait, answers being written, nodes, and the last day. */

import { useEffect } from 'react';

import { promptTitle } from '../cards/outcome';
import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import * as api from '../net/api';
import { open } from '../state/conversation';
import { isWriting, refreshList, refreshWaiting } from '../state/list';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { Nodes } from './Nodes';
import { Refused } from './Refused';
import { type Reading, useReading } from './reading';
import { Section } from './Section';
import { TurnsPlot } from './UsagePlots';

const AGAIN = 10_000;
/** The plot of the day changes slowly. */
const USAGE_AGAIN = 60_000;

const lastDay = (signal: AbortSignal) => admin.usage(1, signal);

export function Overview({ close }: { close(): void }) {
  const i18n = useI18n();
  const { t } = i18n;
  const { seen, refusal } = useReading(api.adminStatus, AGAIN);
  const usage = useReading(lastDay, USAGE_AGAIN);
  useEffect(() => {
    void refreshWaiting();
    void refreshList();
  }, [seen]);
  return (
    <>
      {seen && <p className="text-muted">{t('admin.about', { version: seen.version, uptime: i18n.duration(seen.uptime_seconds / 60) })}</p>}
      <Refused refusal={refusal} />
      <Waiting close={close} />
      <Running close={close} />
      {seen?.nodes && <Nodes status={seen.nodes} />}
      {seen?.push?.enabled && <Devices status={seen.push} />}
      <Turns usage={usage} />
    </>
  );
}

/** Devices that are notified while the page is closed: how many, and whether it works. */
function Devices({ status }: { status: api.PushStatus }) {
  const { t, number } = useI18n();
  const { subscriptions, failing, unsent, problem } = status;
  return (
    <Section title={t('admin.push')} empty={subscriptions === 0 && problem === undefined ? t('admin.push_none') : null}>
      <p>{t('admin.push_numbers', { count: number(subscriptions), failing: number(failing), unsent: number(unsent) })}</p>
      {problem !== undefined && <p className="text-small text-critical">{problem}</p>}
    </Section>
  );
}

function Turns({ usage }: { usage: Reading<admin.Usage> }) {
  const { t } = useI18n();
  const { seen, refusal } = usage;
  return (
    <Section title={t('admin.turns_title')} empty={seen?.total.turns === 0 ? t('admin.nothing') : null}>
      <Refused refusal={refusal} />
      {seen && <TurnsPlot usage={seen} />}
    </Section>
  );
}

function Waiting({ close }: { close(): void }) {
  const i18n = useI18n();
  const { t } = i18n;
  const waiting = useParlor((state) => state.waiting);
  return (
    <Section title={t('admin.waiting')} empty={waiting.length === 0 ? t('admin.nothing') : null}>
      <Conversations
        rows={waiting.map((prompt) => ({ key: prompt.messageId, id: prompt.conversation_id, text: promptTitle(i18n, prompt, true) }))}
        close={close}
      />
    </Section>
  );
}

function Running({ close }: { close(): void }) {
  const { t } = useI18n();
  const rows = useParlor((state) => state.list.rows);
  const waiting = useParlor((state) => state.waiting);
  const running = rows.filter((row) => isWriting(row, waiting));
  return (
    <Section title={t('admin.running')} empty={running.length === 0 ? t('admin.nothing') : null}>
      <Conversations rows={running.map((row) => ({ key: row.id, id: row.id, text: row.title }))} close={close} />
    </Section>
  );
}

function Conversations({ rows, close }: { rows: { key: string; id: string; text: string }[]; close(): void }) {
  const { t } = useI18n();
  return (
    <ul className="divide-y divide-line rounded-card border border-line bg-surface">
      {rows.map((row) => (
        <li key={row.key} className="flex items-center gap-3 py-1.5 ps-4 pe-2">
          <span className="min-w-0 grow truncate">{row.text}</span>
          <Button
            look="quiet"
            aria-label={`${t('left.open')}: ${row.text}`}
            onClick={() => {
              void open(row.id);
              close();
            }}
          >
            {t('left.open')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
