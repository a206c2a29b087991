/** Light or dark: the system's choice, or the person's. `/assets/theme.js` sets it before anything is drawn. */

import { create } from 'zustand';

import { recall, remember } from '../state/memory';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const DARK = '(prefers-color-scheme: dark)';

export const useTheme = create<{ theme: Theme }>(() => ({
  theme: THEMES.find((one) => one === recall('theme')) ?? 'system',
}));

export function setTheme(theme: Theme): void {
  remember('theme', theme === 'system' ? null : theme);
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
