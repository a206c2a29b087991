/** Texts about budgets: what is used, of what, and until when (Y-3). */

import type { BudgetUse, Measure, SpentBudget } from '../protocol/generated';
import type { I18n } from '.';

const DAY = 24 * 60 * 60 * 1000;

/** When the next budget begins, as the clock of the reader shows it. */
export function nextBegins({ t, day, time }: I18n, endsAt: number, now: number): string {
  if (endsAt - now < DAY) return t('budget.next_soon', { time: time(endsAt) });
  return t('budget.next', { day: day(endsAt), time: time(endsAt) });
}

/** A budget that is used up. */
export function spentText(i18n: I18n, budget: SpentBudget, now: number): string {
  return i18n.t(`budget.spent.${budget.scope}`, values(i18n, budget, now));
}

/** A budget of which little is left. */
export function nearText(i18n: I18n, budget: BudgetUse, now: number): string {
  if (budget.percent >= 100) return spentText(i18n, budget, now);
  return i18n.t(`budget.near.${budget.scope}`, { percent: budget.percent, ...values(i18n, budget, now) });
}

/** How much of a measure: "1,200", "$4.50", "1 h 30 min". */
export function amountText({ number, dollars, duration, t }: I18n, measure: Measure, amount: number): string {
  if (measure === 'cost_usd') return dollars(amount);
  if (measure !== 'agent_minutes') return number(amount);
  return amount > 0 && amount < 1 ? t('time.minutes', { minutes: number(amount) }) : duration(amount);
}

function values(i18n: I18n, { measure, period, ends_at }: SpentBudget, now: number) {
  return { what: i18n.t(`budget.${measure}`), when: i18n.t(`budget.${period}`), next: nextBegins(i18n, ends_at, now) };
}
