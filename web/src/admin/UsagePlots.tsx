/** The figures of turns as plots. */

import { type I18n, useI18n } from '../i18n';
import type { Usage, UsagePoint } from '../net/admin';
import { Plot } from './Plot';
import { durationTicks, ticks } from './scale';

const HOUR = 3_600;

/** How a point is called: by its hour, or by its day. */
function labels(i18n: I18n, usage: Usage): (time: number) => string {
  return usage.step_seconds === HOUR ? i18n.time : i18n.dayShort;
}

const times = (usage: Usage) => usage.points.map((point) => point.at);
const most = (values: (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));

export function TurnsPlot({ usage }: { usage: Usage }) {
  const i18n = useI18n();
  const { t } = i18n;
  const { points } = usage;
  const off = (point: UsagePoint) => point.stopped + point.interrupted;
  return (
    <Plot
      title={t('admin.usage.turns_by')}
      kind="bars"
      times={times(usage)}
      label={labels(i18n, usage)}
      scale={ticks(most(points.map((point) => point.turns)), true)}
      unit={i18n.number}
      series={[
        { name: t('admin.usage.well'), look: 'accent', values: points.map((point) => Math.max(0, point.turns - point.failed - off(point))) },
        { name: t('admin.usage.stopped'), look: 'muted', values: points.map(off) },
        { name: t('admin.usage.failed'), look: 'critical', values: points.map((point) => point.failed) },
      ]}
    />
  );
}

export function TokensPlot({ usage }: { usage: Usage }) {
  const i18n = useI18n();
  const values = usage.points.map((point) => point.tokens);
  const title = i18n.t('admin.usage.tokens');
  return (
    <Plot title={title} kind="bars" times={times(usage)} label={labels(i18n, usage)} scale={ticks(most(values), true)} unit={i18n.number} series={[{ name: title, look: 'accent', values }]} />
  );
}

export function CostPlot({ usage }: { usage: Usage }) {
  const i18n = useI18n();
  const values = usage.points.map((point) => point.cost_usd);
  const title = i18n.t('admin.usage.cost');
  return (
    <Plot
      title={title}
      note={i18n.t('admin.usage.cost_note')}
      kind="bars"
      times={times(usage)}
      label={labels(i18n, usage)}
      scale={ticks(most(values))}
      unit={i18n.dollars}
      series={[{ name: title, look: 'accent', values }]}
    />
  );
}

export function LatencyPlot({ usage, of }: { usage: Usage; of: 'first' | 'turn' }) {
  const i18n = useI18n();
  const { t } = i18n;
  const half = usage.points.map((point) => point[`${of}_p50_ms`] ?? null);
  const nearly_all = usage.points.map((point) => point[`${of}_p95_ms`] ?? null);
  return (
    <Plot
      title={t(of === 'first' ? 'admin.usage.first' : 'admin.usage.took')}
      note={t('admin.usage.took_note')}
      kind="lines"
      times={times(usage)}
      label={labels(i18n, usage)}
      scale={durationTicks(most(nearly_all))}
      unit={(ms) => duration(i18n, ms)}
      series={[
        { name: t('admin.usage.p50'), look: 'accent', values: half },
        { name: t('admin.usage.p95'), look: 'question', values: nearly_all },
      ]}
    />
  );
}

/** "850 ms", "1.2 s", "3 min". */
export function duration({ t, number }: I18n, ms: number): string {
  if (ms < 1_000) return t('admin.ms', { value: number(Math.round(ms)) });
  if (ms < 120_000) return t('admin.s', { value: number(Math.round(ms / 100) / 10) });
  return t('admin.min', { value: number(Math.round(ms / 6_000) / 10) });
}
