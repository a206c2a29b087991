/** The budgets that hold for whoever is logged in, with what is used of them (Y-3). */

import { useEffect } from 'react';

import { useI18n } from '../i18n';
import { amountText, nextBegins } from '../i18n/budgets';
import { serverNow } from '../net/clock';
import type { BudgetUse } from '../protocol/generated';
import { refreshBudgets, useBudgets } from '../state/budgets';
import { useParlor } from '../state/store';
import { Bar } from '../ui/Bar';
import { useNow } from '../ui/now';

export function Budgets() {
  const { t } = useI18n();
  const budgets = useBudgets((state) => state.budgets);
  useEffect(() => void refreshBudgets(), []);
  if (budgets.length === 0) return <p className="text-small text-muted">{t('budget.none')}</p>;
  return (
    <ul className="max-w-md space-y-3">
      {budgets.map((budget) => (
        <Row key={`${budget.scope}/${budget.project ?? ''}/${budget.measure}/${budget.period}`} budget={budget} />
      ))}
    </ul>
  );
}

function Row({ budget }: { budget: BudgetUse }) {
  const i18n = useI18n();
  const { t } = i18n;
  const now = serverNow(useNow(60_000));
  const projects = useParlor((state) => state.me?.projects);
  const project = projects?.find((one) => one.id === budget.project)?.name ?? budget.project ?? '';
  const { measure, used, limit } = budget;
  const amount = (value: number) => amountText(i18n, measure, value);
  const figures =
    used !== undefined && limit !== undefined
      ? t('budget.used_of', { used: amount(used), limit: amount(limit) })
      : t('budget.percent', { percent: budget.percent });
  return (
    <li>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span className="font-medium">
          {t('budget.row', { what: t(`budget.${measure}`), when: t(`budget.${budget.period}`) })}
          <span className="font-normal text-muted"> · {t(`budget.of.${budget.scope}`, { name: project })}</span>
        </span>
        <span className="tabular">{figures}</span>
      </p>
      <Bar percent={budget.percent} />
      <p className="mt-1 text-small text-muted">{t('budget.begins', { next: nextBegins(i18n, budget.ends_at, now) })}</p>
    </li>
  );
}
