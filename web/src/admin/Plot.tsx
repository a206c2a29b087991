/**
 * A plot over time: bars that stand on each other, or lines; with a scale, labels and a legend, and as a table for
 * whoever cannot see it.
 */

import { useEffect, useId, useRef, useState } from 'react';

import type { Key } from '../i18n';
import { useI18n } from '../i18n';
import { Disclosure } from '../ui/Disclosure';
import { labelled } from './scale';
import { CELL } from './Table';

export interface Series {
  name: string;
  /** Of its fill, if it is bars, or of its stroke. */
  look: 'accent' | 'critical' | 'muted' | 'question';
  /** One for each point; null where nothing is known. */
  values: readonly (number | null)[];
}

interface Props {
  title: string;
  kind: 'bars' | 'lines';
  times: readonly number[];
  /** How a time is written below the plot, and in the table. */
  label(time: number): string;
  series: readonly Series[];
  /** The lines of the scale, from zero on. */
  scale: readonly number[];
  /** How a value is written, with its unit. */
  unit(value: number): string;
  note?: string;
}

const HEIGHT = 160;
const TOP = 10;
const BOTTOM = 22;
/** The width that a label below takes, in pixels. */
const LABEL = 64;
const FILLS = { accent: 'fill-accent', critical: 'fill-critical', muted: 'fill-muted', question: 'fill-question' };
const STROKES = { accent: 'stroke-accent', critical: 'stroke-critical', muted: 'stroke-muted', question: 'stroke-question' };

export function Plot({ title, kind, times, label, series, scale, unit, note }: Props) {
  const { t } = useI18n();
  const id = useId();
  const [box, width] = useWidth();
  const left = 8 + Math.max(...scale.map((value) => unit(value).length)) * 7;
  const inner = Math.max(60, width - left - 4);
  const step = inner / Math.max(1, times.length);
  const top = scale.at(-1) || 1;
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const x = (at: number) => left + (at + 0.5) * step;
  const known = series.flatMap((one) => one.values.filter((value) => value !== null));
  const most = Math.max(0, ...known);
  const last = series.flatMap((one) => one.values.filter((value) => value !== null).slice(-1));
  const about = most === 0
    ? t('admin.plot.nothing', { title })
    : t('admin.plot.about', { title, most: unit(most), last: last.map(unit).join(', ') });
  return (
    <figure aria-labelledby={id} className="rounded-card border border-line bg-surface p-4">
      <figcaption id={id}>
        <span className="block font-medium">{title}</span>
        {note && <span className="block text-small text-muted">{note}</span>}
      </figcaption>
      <Legend kind={kind} series={series} />
      <div ref={box} className="mt-2">
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={about} className="block max-w-full">
          {scale.map((value) => (
            <g key={value}>
              <line x1={left} x2={width} y1={y(value)} y2={y(value)} className="stroke-line" />
              <text x={left - 6} y={y(value) + 4} textAnchor="end" fontSize={12} className="fill-muted tabular">{unit(value)}</text>
            </g>
          ))}
          {labelled(times.length, Math.floor(inner / LABEL)).map((at) => (
            <text key={at} x={Math.min(x(at), width - LABEL / 3)} y={HEIGHT - 5} textAnchor="middle" fontSize={12} className="fill-muted tabular">{label(times[at]!)}</text>
          ))}
          {kind === 'bars' ? <Bars series={series} x={x} y={y} step={step} /> : <Lines series={series} x={x} y={y} />}
        </svg>
      </div>
      <Disclosure summary={<>{t('admin.plot.table')}<span className="sr-only">: {title}</span></>}>
        <Values title={title} times={times} label={label} series={series} unit={unit} />
      </Disclosure>
    </figure>
  );
}

function Legend({ kind, series }: { kind: Props['kind']; series: readonly Series[] }) {
  if (series.length < 2) return null;
  return (
    <ul className="mt-1 flex flex-wrap gap-x-4 text-small text-muted">
      {series.map((one, index) => (
        <li key={one.name} className="flex items-center gap-1.5">
          <svg width={18} height={10} aria-hidden="true">
            {kind === 'bars'
              ? <rect width={12} height={10} className={FILLS[one.look]} />
              : <line x1={0} x2={18} y1={5} y2={5} strokeWidth={2} strokeDasharray={dashes(index)} className={STROKES[one.look]} />}
          </svg>
          {one.name}
        </li>
      ))}
    </ul>
  );
}

/** Lines are told apart by more than their colour. */
const dashes = (index: number) => (index === 0 ? undefined : '5 3');

interface Place {
  series: readonly Series[];
  x(at: number): number;
  y(value: number): number;
}

function Bars({ series, x, y, step }: Place & { step: number }) {
  const width = Math.max(1, Math.min(28, step - 2));
  const points = series[0]?.values.length ?? 0;
  return Array.from({ length: points }, (_, at) => {
    let below = 0;
    return series.map((one) => {
      const value = one.values[at] ?? 0;
      if (value === 0) return null;
      const [from, to] = [y(below), y(below + value)];
      below += value;
      // What is there is seen, however little it is.
      const height = Math.max(2, from - to);
      return <rect key={`${at} ${one.name}`} x={x(at) - width / 2} y={from - height} width={width} height={height} data-count={value} className={FILLS[one.look]} />;
    });
  });
}

function Lines({ series, x, y }: Place) {
  return series.map((one, index) => {
    const drawn = one.values.map((value, at) => (value === null ? null : { at, value }));
    const path = drawn.map((point, at) => (point ? `${drawn[at - 1] ? 'L' : 'M'}${x(point.at)} ${y(point.value)}` : '')).join('');
    return (
      <g key={one.name}>
        <path d={path} fill="none" strokeWidth={2} strokeDasharray={dashes(index)} className={STROKES[one.look]} />
        {drawn.map((point) => point && <circle key={point.at} cx={x(point.at)} cy={y(point.value)} r={2.5} className={FILLS[one.look]} />)}
      </g>
    );
  });
}

function Values({ title, times, label, series, unit }: Pick<Props, 'title' | 'times' | 'label' | 'series' | 'unit'>) {
  const { t } = useI18n();
  const when: Key = 'admin.plot.when';
  return (
    <div className="max-h-80 overflow-auto rounded-control border border-line" tabIndex={0} role="group" aria-label={title}>
      <table className="w-full text-small">
        <thead className="border-b border-line text-muted">
          <tr>
            <th scope="col" className={`${CELL} font-medium`}>{t(when)}</th>
            {series.map((one) => <th key={one.name} scope="col" className={`${CELL} font-medium`}>{one.name}</th>)}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {times.map((time, at) => (
            <tr key={time}>
              <th scope="row" className={`${CELL} font-normal whitespace-nowrap`}>{label(time)}</th>
              {series.map((one) => {
                const value = one.values[at] ?? null;
                return <td key={one.name} className={`${CELL} tabular`}>{value === null ? '–' : unit(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The width of a box, so that texts in a plot are as large as all others. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const { current } = box;
    if (!current || typeof ResizeObserver === 'undefined') return;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.max(160, Math.floor(entry.contentRect.width))));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  return [box, width] as const;
}
