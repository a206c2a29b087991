/** Texts in the reader's language: `t('composer.send')`. Every text is in both catalogues. */

import { useMemo } from 'react';

import { en, type Key } from './en';
import { type Language, useLanguage } from './language';
import { pt } from './pt';

export const CATALOGUES: Record<Language, Record<Key, string>> = { en, pt };

export type Values = Record<string, string | number>;

/** `one` and `other` forms are keys of their own: `tools.more.one`, `tools.more.other`. */
type Plural = Key extends infer K ? (K extends `${infer Stem}.other` ? Stem : never) : never;

export interface I18n {
  language: Language;
  t(key: Key, values?: Values): string;
  count(key: Plural, count: number, values?: Values): string;
  /** "5 minutes ago". */
  ago(time: number, now: number): string;
  time(time: number): string;
  day(time: number): string;
  /** "18 Nov", for a scale. */
  dayShort(time: number): string;
  /** The day and the time. */
  moment(time: number): string;
  /** "45 min", "12 h", "1 h 30 min". */
  duration(minutes: number): string;
  number(value: number): string;
  dollars(value: number): string;
}

export function i18nFor(language: Language): I18n {
  const catalogue = CATALOGUES[language];
  const locale = language === 'pt' ? 'pt-BR' : 'en';
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const calendar = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
  const short = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const t = (key: Key, values?: Values) => fill(catalogue[key], values);
  return {
    language,
    t,
    count: (key, count, values) => {
      const form = plurals.select(count) === 'one' ? 'one' : 'other';
      return t(`${key}.${form}` as Key, { count: numbers.format(count), ...values });
    },
    ago: (time, now) => {
      const minutes = Math.round((time - now) / 60_000);
      if (minutes > -1) return t('time.now');
      if (minutes > -60) return relative.format(minutes, 'minute');
      if (minutes > -24 * 60) return relative.format(Math.round(minutes / 60), 'hour');
      return calendar.format(time);
    },
    time: (time) => clock.format(time),
    day: (time) => calendar.format(time),
    dayShort: (time) => short.format(time),
    moment: (time) => moments.format(time),
    duration: (all) => {
      const hours = Math.floor(Math.round(all) / 60);
      const minutes = Math.round(all) % 60;
      if (hours === 0) return t('time.minutes', { minutes });
      return minutes === 0 ? t('time.hours', { hours: numbers.format(hours) }) : t('time.hours_minutes', { hours: numbers.format(hours), minutes });
    },
    number: (value) => numbers.format(value),
    dollars: (value) => money.format(value),
  };
}

export function fill(text: string, values?: Values): string {
  return values ? text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)) : text;
}

const CACHE: Partial<Record<Language, I18n>> = {};

/** The texts of the current language, outside of components. */
export function i18n(language: Language = useLanguage.getState().language): I18n {
  return (CACHE[language] ??= i18nFor(language));
}

export function useI18n(): I18n {
  const language = useLanguage((state) => state.language);
  return useMemo(() => i18n(language), [language]);
}

export type { Key };
