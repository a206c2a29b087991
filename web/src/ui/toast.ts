/** A word about what was just done, with a way to undo it. The newest takes the place of the one before. */

import { create } from 'zustand';

export interface Toast {
  text: string;
  action?: { label: string; run(): void };
}

export const useToast = create<{ toast: Toast | null; count: number }>(() => ({ toast: null, count: 0 }));

export const showToast = (toast: Toast | null): void => useToast.setState(({ count }) => ({ toast, count: count + 1 }));
