/** What the palette can do, beside opening conversations. Pure but for the catalogue. */

import { CATALOGUES, type I18n } from '../i18n';
import { LANGUAGES, setLanguage } from '../i18n/language';
import { setMode, startNew } from '../state/conversation';
import { openPage } from '../state/pages';
import { currentProject, type ParlorState, setState } from '../state/store';
import { showOverlay } from './overlays';
import { setTheme, THEMES } from './theme';

export interface Command {
  id: string;
  label: string;
  /** Words that find it too. */
  more?: string;
  run(): void;
}

export function commandsFor({ t }: I18n, state: ParlorState): Command[] {
  const { me, mode, project } = state;
  const others = me?.projects.filter((one) => one.id !== project) ?? [];
  return [
    { id: 'new', label: t('list.new'), run: () => startNew() },
    { id: 'waiting', label: t('waiting.title'), run: () => openPage('waiting') },
    ...others.map((one) => ({ id: `project.${one.id}`, label: t('palette.new_in', { name: one.name }), run: () => startNew(one.id) })),
    mode === 'plan'
      ? { id: 'act', label: t('palette.act'), more: t('mode.label'), run: () => void setMode('act') }
      : { id: 'plan', label: t('palette.plan'), more: t('mode.label'), run: () => void setMode('plan') },
    ...(currentProject(state)?.recipe_vault ? [{ id: 'import', label: t('import.open'), run: importRecipe }] : []),
    { id: 'settings', label: t('settings.title'), run: () => openPage('settings') },
    ...(me?.role === 'admin' ? [{ id: 'admin', label: t('admin.title'), run: () => openPage('admin') }] : []),
    ...THEMES.map((theme) => ({ id: `theme.${theme}`, label: `${t('header.theme')}: ${t(`theme.${theme}`)}`, run: () => setTheme(theme) })),
    // Whoever reads the other language finds it by its own words.
    ...LANGUAGES.map((language) => ({
      id: `language.${language}`,
      label: `${t('header.language')}: ${t(`language.${language}`)}`,
      more: CATALOGUES[language]['header.language'],
      run: () => setLanguage(language),
    })),
    { id: 'keys', label: t('keys.title'), run: () => showOverlay('keys') },
  ];
}

function importRecipe(): void {
  setState({ page: 'chat', panel: { kind: 'recipe_import', id: 'new' } });
}

/** The commands in which every word of a query is found, whatever its case and accents. */
export function matching(commands: readonly Command[], query: string): Command[] {
  const words = folded(query).split(/\s+/).filter(Boolean);
  return commands.filter(({ label, more }) => {
    const text = folded(`${label} ${more ?? ''}`);
    return words.every((word) => text.includes(word));
  });
}

const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
