/** Announcements for screen readers: finished blocks and new prompts politely, errors at once. */

import { create } from 'zustand';

export interface Said {
  text: string;
  count: number;
}

interface Announcements {
  polite: Said;
  urgent: Said;
}

export const useAnnouncements = create<Announcements>(() => ({
  polite: { text: '', count: 0 },
  urgent: { text: '', count: 0 },
}));

export function announce(text: string, how: 'polite' | 'urgent' = 'polite'): void {
  useAnnouncements.setState((state) => ({ [how]: { text, count: state[how].count + 1 } }));
}
