/** The settings of this browser (language, appearance, density, what Enter does, notifications), budgets, logins to tool servers, sessions, and one's data. */

import { type ReactNode, useId } from 'react';

import { useI18n } from '../i18n';
import { LANGUAGES, setLanguage } from '../i18n/language';
import { closePage } from '../state/pages';
import { DENSITIES, ENTERS, setDensity, setEnter, useSettings } from '../state/settings';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { PageFrame } from '../ui/PageFrame';
import { Budgets } from './Budgets';
import { DeviceNotifications } from './DeviceNotifications';
import { showOverlay } from './overlays';
import { OwnLogins } from './OwnLogins';
import { Sessions } from './Sessions';
import { setTheme, THEMES, useTheme } from './theme';
import { YourData } from './YourData';

export default function SettingsPage() {
  const { t, language } = useI18n();
  const theme = useTheme((state) => state.theme);
  const { density, enter } = useSettings();
  return (
    <PageFrame title={t('settings.title')} note={t('settings.note')} closeLabel={t('page.close')} close={closePage}>
      <Choice title={t('header.language')} options={LANGUAGES} chosen={language} choose={setLanguage} label={(one) => <span lang={one}>{t(`language.${one}`)}</span>} />
      <Choice title={t('header.theme')} options={THEMES} chosen={theme} choose={setTheme} label={(one) => t(`theme.${one}`)} />
      <Choice title={t('settings.density')} options={DENSITIES} chosen={density} choose={setDensity} label={(one) => t(`settings.density.${one}`)} hint={t('settings.density_hint')} />
      <Choice title={t('settings.enter')} options={ENTERS} chosen={enter} choose={setEnter} label={(one) => t(`settings.enter.${one}`)} hint={t('settings.enter_hint')} />
      <Part title={t('settings.notifications')}>
        <DeviceNotifications />
      </Part>
      <Part title={t('budget.title')}>
        <Budgets />
      </Part>
      <OwnLogins />
      <Part title={t('sessions.title')}>
        <Sessions />
      </Part>
      <Part title={t('data.title')}>
        <YourData />
      </Part>
      <Part title={t('keys.title')}>
        <Button onClick={() => showOverlay('keys')}>{t('settings.show_keys')}</Button>
      </Part>
    </PageFrame>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-2">
      <h2 className="text-title font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface ChoiceProps<Option extends string> {
  title: string;
  options: readonly Option[];
  chosen: Option;
  choose(option: Option): void;
  label(option: Option): ReactNode;
  hint?: string;
}

function Choice<Option extends string>({ title, options, chosen, choose, label, hint }: ChoiceProps<Option>) {
  const id = useId();
  return (
    <fieldset aria-describedby={hint === undefined ? undefined : `${id}-hint`} className="space-y-2">
      <legend className="text-title font-semibold">{title}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label
            key={option}
            className={classes(
              'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control border px-3.5 py-1.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11',
              option === chosen ? 'border-accent bg-raised font-medium' : 'border-(--outline) bg-surface hover:bg-raised',
            )}
          >
            <input type="radio" name={id} className="size-4 accent-(--accent) outline-none" checked={option === chosen} onChange={() => choose(option)} />
            {label(option)}
          </label>
        ))}
      </div>
      {hint !== undefined && <p id={`${id}-hint`} className="text-small text-muted">{hint}</p>}
    </fieldset>
  );
}
