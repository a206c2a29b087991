/** The language of the page: the browser's, or the one that was chosen. */

import { create } from 'zustand';

import { readLocal, writeLocal } from '../browser/local_storage';

export const LANGUAGES = ['en', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first language of the list that there is a catalogue for. */
export function chosenBy(languages: readonly string[]): Language {
  for (const wish of languages) {
    const language = LANGUAGES.find((one) => wish.toLowerCase().split('-')[0] === one);
    if (language) return language;
  }
  return 'en';
}

function atFirst(): Language {
  const own = LANGUAGES.find((one) => one === readLocal('language'));
  return own ?? chosenBy(globalThis.navigator?.languages ?? []);
}

export const useLanguage = create<{ language: Language }>(() => ({ language: atFirst() }));

export function setLanguage(language: Language): void {
  writeLocal('language', language);
  useLanguage.setState({ language });
}
