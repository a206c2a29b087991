/** The page of administrators: open prompts, running turns, server health, nodes, activity and blocked inputs. */

import { X } from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';

import { promptTitle } from '../cards/outcome';
import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import * as api from '../net/api';
import { asRefusal, type Refusal } from '../net/http';
import { open } from '../state/conversation';
import { isWriting, refreshList, refreshWaiting } from '../state/list';
import { useParlor } from '../state/store';
import { Button, IconButton } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { VisibleText } from '../ui/VisibleText';
import { HourPlot } from './HourPlot';
import { commonScale } from './hours';
import { Nodes } from './Nodes';
import { Section } from './Section';
import { ServerLogin } from './ServerLogin';

interface Seen {
  status: api.AdminStatus;
  blocked: api.BlockedInput[];
}

const AGAIN = 10_000;

export default function AdminPage({ close }: { close(): void }) {
  const i18n = useI18n();
  const { t } = i18n;
  const [seen, setSeen] = useState<Seen | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    const wanted = new AbortController();
    const look = async () => {
      void refreshWaiting();
      void refreshList();
      try {
        const [status, blocked] = await Promise.all([api.adminStatus(wanted.signal), api.blockedInputs(wanted.signal)]);
        setSeen({ status, blocked });
        setRefusal(null);
      } catch (error) {
        if (!wanted.signal.aborted) setRefusal(asRefusal(error));
      }
    };
    void look();
    const timer = setInterval(() => document.visibilityState === 'visible' && void look(), AGAIN);
    return () => {
      wanted.abort();
      clearInterval(timer);
    };
  }, [looks]);
  return (
    <main aria-label={t('admin.title')} className="min-h-0 min-w-0 grow overflow-y-auto" tabIndex={0} onKeyDown={onEscape(close)}>
      <div className="mx-auto max-w-4xl space-y-10 px-4 py-8 sm:px-8">
        <div className="flex items-start justify-between gap-4">
          <div>
            <h1 className="font-serif text-display font-semibold">{t('admin.title')}</h1>
            {seen && <p className="text-muted">{t('admin.about', { version: seen.status.version, uptime: i18n.duration(seen.status.uptime_seconds / 60) })}</p>}
          </div>
          <IconButton label={t('admin.close')} onClick={close}>
            <X size={18} aria-hidden="true" />
          </IconButton>
        </div>
        {refusal && <p role="alert" className="font-medium text-critical">{reasonFor(i18n, refusal)}</p>}
        <Waiting close={close} />
        <Running close={close} />
        {seen && <Servers status={seen.status} onChange={() => setLooks(looks + 1)} />}
        {seen?.status.nodes && <Nodes status={seen.status.nodes} />}
        {seen && <Plots seen={seen} />}
      </div>
    </main>
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

const STATES = { ready: 'text-success', starting: 'text-muted', down: 'text-critical' };

function Servers({ status, onChange }: { status: api.AdminStatus; onChange(): void }) {
  const i18n = useI18n();
  const { t, count } = i18n;
  const cell = 'px-4 py-2 text-start align-top';
  return (
    <Section title={t('admin.agents')} empty={null}>
      <div className="overflow-x-auto rounded-card border border-line bg-surface" tabIndex={0} role="group" aria-label={t('admin.agents')}>
        <table className="w-full text-small [overflow-wrap:break-word]">
          <thead className="border-b border-line text-muted">
            <tr>
              {(['admin.project', 'admin.agent', 'admin.servers', 'admin.day'] as const).map((key) => (
                <th key={key} scope="col" className={`${cell} font-medium`}>{t(key)}</th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {status.projects.map((project) => (
              <tr key={project.id}>
                <th scope="row" className={`${cell} font-medium`}>{project.name}</th>
                <td className={cell}>
                  {project.agent.kind === project.agent.model ? project.agent.kind : `${project.agent.kind} · ${project.agent.model}`}
                  {(project.agent.warnings ?? []).map((text) => (
                    <span key={text} className="block text-warning">{text}</span>
                  ))}
                </td>
                <td className={cell}>
                  <ul className="space-y-1">
                    {project.mcp.map((health) => (
                      <li key={health.server}>
                        <span className="font-medium">{health.server}</span>{' '}
                        <span className={STATES[health.state]}>{t(`admin.state.${health.state}`)}</span>
                        <span className="text-muted"> · {count('admin.tools', health.tools)}</span>
                        {health.restarts > 0 && <span className="text-muted"> · {count('admin.restarts', health.restarts)}</span>}
                        {[health.problem, ...health.warnings].filter(Boolean).map((text, index) => (
                          <span key={index} className="block text-warning">{text}</span>
                        ))}
                        <ServerLogin project={project.id} health={health} onChange={onChange} />
                      </li>
                    ))}
                    {project.mcp.length === 0 && <li className="text-muted">{t('admin.no_servers')}</li>}
                  </ul>
                </td>
                <td className={cell}>{dayOf(i18n, status.activity.filter((activity) => activity.project === project.id))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** The activity of a project in one day. */
function dayOf({ count, dollars }: ReturnType<typeof useI18n>, activity: readonly api.Activity[]): string {
  const sum = (of: (activity: api.Activity) => number) => activity.reduce((all, one) => all + of(one), 0);
  const [turns, tokens, cost] = [sum((one) => one.turns), sum((one) => one.tokens), sum((one) => one.cost_usd)];
  const parts = [count('admin.turns', turns)];
  if (tokens > 0) parts.push(count('admin.tokens', tokens));
  if (cost > 0) parts.push(dollars(cost));
  return parts.join(' · ');
}

/** Turns and blocked inputs, on one scale. */
function Plots({ seen }: { seen: Seen }) {
  const now = Date.now();
  const answers = seen.status.activity.map(({ hour, turns }) => ({ at: hour, count: turns }));
  const noticed = seen.blocked.map((input) => ({ at: input.at, count: 1 }));
  const most = commonScale([answers, noticed], now);
  return (
    <>
      <Turns plot={{ happened: answers, now, most, fill: 'fill-accent' }} />
      <Blocked inputs={seen.blocked} plot={{ happened: noticed, now, most, fill: 'fill-warning' }} />
    </>
  );
}

type Plot = ComponentProps<typeof HourPlot>;

function Turns({ plot }: { plot: Plot }) {
  const { t } = useI18n();
  return (
    <Section title={t('admin.turns_title')} empty={plot.happened.length === 0 ? t('admin.nothing') : null}>
      <HourPlot {...plot} />
    </Section>
  );
}

function Blocked({ inputs, plot }: { inputs: api.BlockedInput[]; plot: Plot }) {
  const { t, ago } = useI18n();
  const { now } = plot;
  const cell = 'px-4 py-2 text-start align-top';
  return (
    <Section title={t('admin.blocked')} empty={inputs.length === 0 ? t('admin.nothing') : null}>
      <HourPlot {...plot} />
      <div className="max-h-112 overflow-auto rounded-card border border-line bg-surface" tabIndex={0} role="group" aria-label={t('admin.blocked')}>
        <table className="w-full text-small [overflow-wrap:break-word]">
          <thead className="border-b border-line text-muted">
            <tr>
              {(['admin.when', 'admin.rule', 'admin.excerpt'] as const).map((key) => (
                <th key={key} scope="col" className={`${cell} font-medium`}>{t(key)}</th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {inputs.map((input) => (
              <tr key={input.id}>
                <td className={`${cell} whitespace-nowrap`}>{ago(input.at, now)}</td>
                <td className={cell}>
                  <span className="font-mono">{input.rule}</span>
                  {input.action !== 'block' && <span className="block text-muted">{t('admin.only_noted')}</span>}
                </td>
                <td className={cell}>
                  <VisibleText text={input.excerpt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
