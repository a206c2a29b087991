/** The budgets that hold for whoever is logged in: read at the start, and after each turn (Y-3). */

import { create } from 'zustand';

import { myBudgets } from '../net/usage';
import type { BudgetUse } from '../protocol/generated';
import { useParlor } from './store';

/** From so many percent on a budget is mentioned. */
const NEARLY = 90;

export const useBudgets = create<{ budgets: readonly BudgetUse[] }>(() => ({ budgets: [] }));

export async function refreshBudgets(): Promise<void> {
  try {
    useBudgets.setState({ budgets: await myBudgets() });
  } catch {
    // What was read before stays; the server refuses what is too much.
  }
}

/** Reads them now, whenever a turn has ended, and whenever a message was refused because of one. */
export function followBudgets(): () => void {
  void refreshBudgets();
  return useParlor.subscribe((now, before) => {
    const ended = before.conversation.turn !== null && now.conversation.turn === null;
    const refused = now.notice !== before.notice && now.notice?.refusal.code === 'budget_exceeded';
    if (ended || refused) void refreshBudgets();
  });
}

/** The budget that is worth a word before the next message in a project: the fullest one that is nearly used up. */
export function nearlyUsedUp(budgets: readonly BudgetUse[], project: string | null, now: number): BudgetUse | null {
  const near = budgets.filter(
    (one) => one.percent >= NEARLY && one.ends_at > now && (one.project === undefined || one.project === project),
  );
  // Of several that are used up the one that takes longest.
  return near.toSorted((one, other) => other.percent - one.percent || other.ends_at - one.ends_at)[0] ?? null;
}
