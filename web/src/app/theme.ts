/** The colour theme: the system's, or the one that was chosen. `/assets/theme.js` sets it before the first paint. */

import { create } from 'zustand';

import { readLocal, writeLocal } from '../browser/local_storage';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const DARK = '(prefers-color-scheme: dark)';

export const useTheme = create<{ theme: Theme }>(() => ({
  theme: THEMES.find((one) => one === readLocal('theme')) ?? 'system',
}));

/** The theme of this page alone: that of the site around it. */
export function showTheme(theme: Theme): void {
  useTheme.setState({ theme });
  show();
}

export function setTheme(theme: Theme): void {
  writeLocal('theme', theme === 'system' ? null : theme);
  useTheme.setState({ theme });
  show();
}

function show(): void {
  const { theme } = useTheme.getState();
  const dark = theme === 'dark' || (theme === 'system' && window.matchMedia(DARK).matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}

export function followTheme(): void {
  show();
  window.matchMedia(DARK).addEventListener('change', show);
}
