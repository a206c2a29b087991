/** What people, projects and the tenant used in a day or a month, beside what they may use (Y-3, Y-4). */

import { useEffect, useId, useState } from 'react';

import { useI18n } from '../i18n';
import { amountText } from '../i18n/budgets';
import { reasonFor } from '../i18n/reasons';
import { asRefusal, type Refusal } from '../net/http';
import { usage, type UsagePage, type UsageRow } from '../net/usage';
import type { BudgetScope, Measure, Period } from '../protocol/generated';
import { Bar } from '../ui/Bar';
import { Button } from '../ui/Button';
import { Section } from './Section';

const SCOPES: readonly BudgetScope[] = ['person', 'project', 'tenant'];
const MEASURES: readonly Measure[] = ['tokens', 'cost_usd', 'messages', 'agent_minutes'];
const PERIODS = { this_month: ['month', 0], last_month: ['month', 1], today: ['day', 0], yesterday: ['day', 1] } as const;
type Which = keyof typeof PERIODS;

/** How often it is read again, in milliseconds. */
const AGAIN = 30_000;

export function Budgets() {
  const i18n = useI18n();
  const { t } = i18n;
  const [scope, setScope] = useState<BudgetScope>('person');
  const [which, setWhich] = useState<Which>('this_month');
  const [pages, setPages] = useState<readonly UsagePage[]>([]);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [period, back] = PERIODS[which];
  useEffect(() => follow(scope, period, back, setPages, setRefusal), [scope, period, back]);
  const first = pages[0];
  const next = pages.at(-1)?.next_before;
  const more = async (before: string) => {
    try {
      const page = await usage(scope, period, back, before, new AbortController().signal);
      setPages((known) => [...known, page]);
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Section title={t('usage.title')} empty={null}>
      <div className="mb-3 flex flex-wrap items-end gap-x-4 gap-y-2">
        <Select<BudgetScope> label={t('usage.scope')} options={SCOPES} chosen={scope} choose={setScope} name={(one) => t(`usage.scope.${one}`)} />
        <Select<Which> label={t('usage.period')} options={Object.keys(PERIODS) as Which[]} chosen={which} choose={setWhich} name={(one) => t(`usage.period.${one}`)} />
        {first && <p className="py-1.5 text-small text-muted tabular">{t('usage.about', { name: first.name, zone: first.time_zone })}</p>}
      </div>
      {refusal && <p role="alert" className="mb-3 font-medium text-critical">{reasonFor(i18n, refusal)}</p>}
      {first && first.rows.length === 0 && <p className="text-muted">{t('usage.nothing')}</p>}
      {first && first.rows.length > 0 && <Table rows={pages.flatMap((page) => page.rows)} />}
      {next !== undefined && (
        <Button className="mt-3" onClick={() => void more(next)}>{t('usage.more')}</Button>
      )}
    </Section>
  );
}

/** Reads the first page now and again. Further pages are dropped then only if another list is chosen. */
function follow(
  scope: BudgetScope,
  period: Period,
  back: number,
  setPages: (change: (known: readonly UsagePage[]) => readonly UsagePage[]) => void,
  setRefusal: (refusal: Refusal | null) => void,
): () => void {
  const wanted = new AbortController();
  const look = async () => {
    try {
      const page = await usage(scope, period, back, null, wanted.signal);
      // Whoever reads on is not sent back to the first page.
      setPages((known) => (known.length > 1 ? known : [page]));
      setRefusal(null);
    } catch (error) {
      if (!wanted.signal.aborted) setRefusal(asRefusal(error));
    }
  };
  setPages(() => []);
  void look();
  const timer = setInterval(() => document.visibilityState === 'visible' && void look(), AGAIN);
  return () => {
    wanted.abort();
    clearInterval(timer);
  };
}

function Table({ rows }: { rows: readonly UsageRow[] }) {
  const { t } = useI18n();
  const cell = 'px-4 py-2 text-start align-top';
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface" tabIndex={0} role="group" aria-label={t('usage.title')}>
      <table className="w-full text-small">
        <thead className="border-b border-line text-muted">
          <tr>
            <th scope="col" className={`${cell} font-medium`}>{t('usage.who')}</th>
            {MEASURES.map((measure) => (
              <th key={measure} scope="col" className={`${cell} font-medium first-letter:uppercase`}>{t(`budget.${measure}`)}</th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={row.id ?? ''}>
              <th scope="row" className={`${cell} min-w-32 font-medium [overflow-wrap:anywhere]`}>
                {row.name ?? <span className="font-normal text-muted">{row.id === undefined ? t('usage.shared_account') : t('usage.gone')}</span>}
              </th>
              {MEASURES.map((measure) => (
                <td key={measure} className={`${cell} min-w-28`}>
                  <Amount measure={measure} used={row.used[measure] ?? 0} limit={row.limits[measure]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Amount({ measure, used, limit }: { measure: Measure; used: number; limit: number | undefined }) {
  const i18n = useI18n();
  return (
    <>
      <span className="tabular whitespace-nowrap">{amountText(i18n, measure, used)}</span>
      {limit !== undefined && (
        <>
          <span className="text-muted tabular"> {i18n.t('usage.of', { limit: amountText(i18n, measure, limit) })}</span>
          <Bar percent={(used / limit) * 100} />
        </>
      )}
    </>
  );
}

interface SelectProps<Option extends string> {
  label: string;
  options: readonly Option[];
  chosen: Option;
  choose(option: Option): void;
  name(option: Option): string;
}

function Select<Option extends string>({ label, options, chosen, choose, name }: SelectProps<Option>) {
  const id = useId();
  return (
    <p className="flex items-center gap-2">
      <label htmlFor={id} className="text-small text-muted">{label}</label>
      <select
        id={id}
        value={chosen}
        onChange={(event) => choose(event.target.value as Option)}
        className="min-h-9 rounded-control border border-(--outline) bg-surface px-2.5 py-1.5 pointer-coarse:min-h-11"
      >
        {options.map((option) => (
          <option key={option} value={option}>{name(option)}</option>
        ))}
      </select>
    </p>
  );
}
