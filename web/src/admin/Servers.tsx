/** Agents and their tool servers: their state, logging in, starting them again, what they wrote last. */

import { useCallback, useState } from 'react';

import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import * as api from '../net/api';
import { announce } from '../ui/announce';
import { Disclosure } from '../ui/Disclosure';
import { VisibleText } from '../ui/VisibleText';
import { Confirmed } from './Confirmed';
import { useReading } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';
import { ServerLogin } from './ServerLogin';

const AGAIN = 10_000;
const LINES_AGAIN = 5_000;
const STATES = { ready: 'text-success', starting: 'text-muted', down: 'text-critical' };

export function Servers() {
  const { t } = useI18n();
  const { seen, refusal, again } = useReading(api.adminStatus, AGAIN);
  return (
    <>
      <Refused refusal={refusal} />
      {seen?.projects.map((project) => (
        <Section key={project.id} title={project.name} empty={null}>
          <p className="mb-3">
            {t('admin.agent')}: {project.agent.kind === project.agent.model ? project.agent.kind : `${project.agent.kind} · ${project.agent.model}`}
            {(project.agent.warnings ?? []).map((text) => (
              <span key={text} className="block text-warning">{text}</span>
            ))}
          </p>
          {project.mcp.length === 0 && <p className="text-muted">{t('admin.servers')}: {t('admin.no_servers')}</p>}
          <ul className="space-y-3">
            {project.mcp.map((health) => <Server key={health.server} project={project.id} health={health} changed={again} />)}
          </ul>
        </Section>
      ))}
    </>
  );
}

function Server({ project, health, changed }: { project: string; health: api.ServerHealth; changed(): void }) {
  const { t, count } = useI18n();
  const { server } = health;
  const [lines, setLines] = useState(0);
  const restart = async () => {
    const now = await admin.restartServer(project, server);
    announce(t('admin.servers.restarted', { server, state: t(`admin.state.${now.state}`) }));
    setLines(lines + 1);
  };
  return (
    <li className="rounded-card border border-line bg-surface px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 grow basis-0">
          <h3>
            <span className="font-medium">{server}</span>{' '}
            <span className={STATES[health.state]}>{t(`admin.state.${health.state}`)}</span>
            <span className="text-muted"> · {count('admin.tools', health.tools)}</span>
            {health.restarts > 0 && <span className="text-muted"> · {count('admin.restarts', health.restarts)}</span>}
          </h3>
          {[health.problem, ...health.warnings].filter(Boolean).map((text, index) => (
            <p key={index} className="text-small text-warning">{text}</p>
          ))}
          <ServerLogin project={project} health={health} onChange={changed} />
        </div>
        <Confirmed
          label={t('admin.servers.restart')}
          about={t('admin.servers.restart_of', { server })}
          question={t('admin.servers.restart_sure', { server })}
          act={restart}
          done={changed}
        />
      </div>
      <Disclosure summary={t('admin.servers.lines', { server })}>
        <Output key={lines} project={project} server={server} />
      </Disclosure>
    </li>
  );
}

function Output({ project, server }: { project: string; server: string }) {
  const { t, count, moment } = useI18n();
  const read = useCallback((signal: AbortSignal) => admin.serverOutput(project, server, signal), [project, server]);
  const { seen, refusal } = useReading(read, LINES_AGAIN);
  return (
    <div className="space-y-2 py-1 text-small">
      <Refused refusal={refusal} />
      {seen !== null && seen.running_calls > 0 && <p>{count('admin.servers.calls', seen.running_calls)}</p>}
      {seen?.lines.length === 0 && <p className="text-muted">{t('admin.servers.no_lines')}</p>}
      {seen !== null && seen.lines.length > 0 && (
        <ol className="max-h-80 space-y-1 overflow-auto rounded-control bg-raised p-3 font-mono" tabIndex={0} aria-label={t('admin.servers.lines', { server })}>
          {seen.lines.map((line, index) => (
            <li key={index}>
              <span className="text-muted">{moment(line.at)}</span> <VisibleText text={line.text} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
