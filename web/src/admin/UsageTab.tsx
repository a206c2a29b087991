/** What was answered, how fast, what failed and what it cost, and budgets. */

import { type ReactNode, useCallback, useState } from 'react';

import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import { classes } from '../ui/classes';
import { Budgets } from './Budgets';
import { useReading } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';
import { CELL, Table } from './Table';
import { CostPlot, duration, LatencyPlot, TokensPlot, TurnsPlot } from './UsagePlots';

const AGAIN = 60_000;
const DAYS = [[1, 'admin.usage.day'], [7, 'admin.usage.week'], [30, 'admin.usage.month'], [90, 'admin.usage.quarter']] as const;

export function UsageTab() {
  const { t } = useI18n();
  const [days, setDays] = useState<admin.Days>(1);
  const read = useCallback((signal: AbortSignal) => admin.usage(days, signal), [days]);
  const { seen, refusal } = useReading(read, AGAIN);
  return (
    <>
      <div role="group" aria-label={t('admin.usage.days')} className="inline-flex flex-wrap gap-1 rounded-control bg-raised p-1">
        {DAYS.map(([count, key]) => (
          <button
            key={count}
            type="button"
            aria-pressed={days === count}
            onClick={() => setDays(count)}
            className={classes('min-h-8 rounded-control px-3 pointer-coarse:min-h-11', days === count ? 'bg-surface font-medium shadow-float' : 'text-muted hover:text-ink')}
          >
            {t(key)}
          </button>
        ))}
      </div>
      <Refused refusal={refusal} />
      {seen && <Figures usage={seen} />}
      <Budgets />
    </>
  );
}

function Figures({ usage }: { usage: admin.Usage }) {
  const i18n = useI18n();
  const { t } = i18n;
  const { total } = usage;
  const span = (ms: number | undefined) => (ms === undefined ? '–' : duration(i18n, ms));
  return (
    <>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-3">
        <Figure name={t('admin.usage.turns')}>{i18n.number(total.turns)}</Figure>
        <Figure name={t('admin.usage.tokens')}>{i18n.number(total.tokens)}</Figure>
        <Figure name={t('admin.usage.cost')}>{i18n.dollars(total.cost_usd)}</Figure>
        <Figure name={t('admin.usage.first')}>{span(total.first_p50_ms)}</Figure>
        <Figure name={t('admin.usage.took')}>{span(total.turn_p50_ms)}</Figure>
      </dl>
      {total.turns === 0 && <p role="status" className="text-muted">{t('admin.usage.none')}</p>}
      <div className="grid gap-4 lg:grid-cols-2">
        <TurnsPlot usage={usage} />
        <TokensPlot usage={usage} />
        <LatencyPlot usage={usage} of="first" />
        <LatencyPlot usage={usage} of="turn" />
        <CostPlot usage={usage} />
      </div>
      <Errors usage={usage} />
      <Projects usage={usage} />
    </>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="rounded-card border border-line bg-surface px-4 py-3">
      <dt className="text-small text-muted">{name}</dt>
      <dd className="text-title font-semibold tabular">{children}</dd>
    </div>
  );
}

function Errors({ usage }: { usage: admin.Usage }) {
  const { t, number } = useI18n();
  return (
    <Section title={t('admin.usage.errors')} empty={usage.errors.length === 0 ? t('admin.nothing') : null}>
      <Table label={t('admin.usage.errors')} columns={['admin.usage.error', 'admin.usage.count']}>
        {usage.errors.map(({ code, count }) => (
          <tr key={code}>
            <th scope="row" className={`${CELL} font-mono font-normal`}>{code}</th>
            <td className={`${CELL} tabular`}>{number(count)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function Projects({ usage }: { usage: admin.Usage }) {
  const i18n = useI18n();
  const { t, number } = i18n;
  return (
    <Section title={t('admin.usage.projects')} empty={usage.projects.length === 0 ? t('admin.nothing') : null}>
      <Table label={t('admin.usage.projects')} columns={['admin.project', 'admin.usage.turns', 'admin.usage.failed', 'admin.usage.tokens', 'admin.usage.cost', 'admin.usage.first']}>
        {usage.projects.map((project) => (
          <tr key={project.id}>
            <th scope="row" className={`${CELL} font-medium`}>{project.name}</th>
            <td className={`${CELL} tabular`}>{number(project.turns)}</td>
            <td className={`${CELL} tabular`}>{number(project.failed)}</td>
            <td className={`${CELL} tabular`}>{number(project.tokens)}</td>
            <td className={`${CELL} tabular`}>{i18n.dollars(project.cost_usd)}</td>
            <td className={`${CELL} tabular`}>{project.first_p50_ms === undefined ? '–' : duration(i18n, project.first_p50_ms)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
