/** Settings of this browser, beside language and theme: how dense the page is, and what Enter does. */

import { create } from 'zustand';

import { readLocal, writeLocal } from '../browser/local_storage';

export const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];

/** What Enter does in the message field. */
export const ENTERS = ['send', 'newline'] as const;
export type Enter = (typeof ENTERS)[number];

export const useSettings = create<{ density: Density; enter: Enter }>(() => ({
  density: DENSITIES.find((one) => one === readLocal('density')) ?? 'comfortable',
  enter: ENTERS.find((one) => one === readLocal('enter')) ?? 'send',
}));

export function setDensity(density: Density): void {
  writeLocal('density', density === 'comfortable' ? null : density);
  useSettings.setState({ density });
  showDensity();
}

/** The styles read it from the root element. */
export function showDensity(): void {
  document.documentElement.dataset['density'] = useSettings.getState().density;
}

export function setEnter(enter: Enter): void {
  writeLocal('enter', enter === 'send' ? null : enter);
  useSettings.setState({ enter });
}
