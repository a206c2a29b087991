/** What was used, and how much may be (Y-3). */

import type { BudgetScope, BudgetUse, Measure, Period, SpentBudget, Timestamp } from '../protocol/generated';
import { isFields } from './decode';
import { askJson } from './http';

export type Amounts = Partial<Record<Measure, number>>;

/** What somebody used in a period, and may use in such a one. */
export interface UsageRow {
  /** The person or the project; none for the shared account, and for the tenant. */
  id?: string;
  name?: string;
  used: Amounts;
  limits: Amounts;
}

export interface UsagePage {
  scope: BudgetScope;
  period: Period;
  /** The day or the month: `2026-11-19` or `2026-11`. */
  name: string;
  time_zone: string;
  ends_at: Timestamp;
  rows: UsageRow[];
  next_before?: string;
}

/** The budgets that hold for whoever is logged in. */
export const myBudgets = async () => (await askJson<{ budgets: BudgetUse[] }>('/api/me/usage')).budgets;

/** What everybody of a scope used, so many periods back; most tokens first. */
export function usage(scope: BudgetScope, period: Period, back: number, before: string | null, signal: AbortSignal): Promise<UsagePage> {
  const query = new URLSearchParams({ scope, period, back: String(back), ...(before === null ? {} : { before }) });
  return askJson<UsagePage>(`/api/admin/budgets?${query}`, { signal });
}

const SCOPES: readonly string[] = ['person', 'project', 'tenant'];
const MEASURES: readonly string[] = ['messages', 'tokens', 'cost_usd', 'agent_minutes'];
const PERIODS: readonly string[] = ['day', 'month'];

/** A budget that a refusal or an error names. */
export function spentBudget(value: unknown): SpentBudget | null {
  if (!isFields(value)) return null;
  const { scope, measure, period, ends_at } = value;
  const known = SCOPES.includes(String(scope)) && MEASURES.includes(String(measure)) && PERIODS.includes(String(period));
  return known && typeof ends_at === 'number' ? (value as unknown as SpentBudget) : null;
}
