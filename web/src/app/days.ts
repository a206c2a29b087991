/** Conversations grouped by age. Pure. */

import type { ConversationSummary } from '../net/api';

export type Age = 'pinned' | 'today' | 'yesterday' | 'week' | 'older';

const DAY = 24 * 60 * 60 * 1000;

export function byAge(rows: readonly ConversationSummary[], now: number): [Age, ConversationSummary[]][] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const age = (at: number): Age => {
    if (at >= midnight) return 'today';
    if (at >= midnight - DAY) return 'yesterday';
    return at >= midnight - 7 * DAY ? 'week' : 'older';
  };
  const groups = new Map<Age, ConversationSummary[]>();
  for (const row of rows) {
    const key = row.pinned ? 'pinned' : age(row.updated_at);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups];
}
