import { Activity, Languages, LogOut, Monitor, Moon, PanelLeft, Sun } from 'lucide-react';

import { useI18n } from '../i18n';
import { LANGUAGES, setLanguage } from '../i18n/language';
import { startNew } from '../state/conversation';
import { clearPersonalData } from '../state/login';
import { useParlor } from '../state/store';
import { IconButton } from '../ui/Button';
import { Menu } from '../ui/Menu';
import { setTheme, THEMES, useTheme } from './theme';

interface Props {
  listShown: boolean;
  toggleList(): void;
  showAdmin: (() => void) | null;
}

/** The header: project and title, language, theme, log-out. */
export function Header({ listShown, toggleList, showAdmin }: Props) {
  const { t } = useI18n();
  const person = useParlor((state) => state.me?.person?.name);
  const logOut = person === undefined ? t('header.log_out') : t('header.log_out_of', { name: person });
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 max-[24rem]:gap-0 pointer-coarse:h-14">
      <IconButton label={t(listShown ? 'header.hide_list' : 'header.show_list')} aria-expanded={listShown} onClick={toggleList}>
        <PanelLeft size={18} aria-hidden="true" />
      </IconButton>
      <ProjectName />
      <Title />
      <span className="grow" />
      {showAdmin && (
        <IconButton label={t('header.admin')} onClick={showAdmin}>
          <Activity size={18} aria-hidden="true" />
        </IconButton>
      )}
      <LanguageMenu />
      <ThemeMenu />
      <form method="post" action="/logout" onSubmit={clearPersonalData} className="contents">
        <IconButton type="submit" label={logOut}>
          <LogOut size={18} aria-hidden="true" />
        </IconButton>
      </form>
    </header>
  );
}

function ProjectName() {
  const { t } = useI18n();
  const projects = useParlor((state) => state.me?.projects);
  const current = useParlor((state) => state.project);
  const name = projects?.find((project) => project.id === current)?.name ?? '';
  if (!projects || projects.length < 2) return <p className="min-w-0 truncate px-1.5 font-medium sm:shrink-0">{name}</p>;
  return (
    <Menu
      label={t('header.project')}
      align="start"
      trigger={(menu) => (
        <button
          type="button"
          className="flex min-h-9 min-w-0 items-center gap-1 rounded-control px-2 font-medium hover:bg-raised max-[24rem]:px-1 sm:shrink-0 pointer-coarse:min-h-11"
          {...menu}
        >
          <span className="sr-only">{t('header.project')}</span> <span className="min-w-0 truncate">{name}</span>{' '}
          <span aria-hidden="true" className="text-muted">▾</span>
        </button>
      )}
      items={projects.map((project) => ({
        key: project.id,
        label: project.agent ? (
          <>
            <span className="block">{project.name}</span> <span className="block text-small text-muted">{project.agent}</span>
          </>
        ) : (
          project.name
        ),
        checked: project.id === current,
        run: () => startNew(project.id),
      }))}
    />
  );
}

function Title() {
  const title = useParlor((state) => state.title);
  if (title === null) return null;
  return (
    <h1 className="min-w-0 truncate text-muted max-sm:sr-only">
      <span aria-hidden="true" className="me-2 text-line">/</span>
      {title}
    </h1>
  );
}

function LanguageMenu() {
  const { t, language } = useI18n();
  return (
    <Menu
      label={t('header.language')}
      trigger={(menu) => (
        <IconButton label={t('header.language')} {...menu}>
          <Languages size={18} aria-hidden="true" />
        </IconButton>
      )}
      items={LANGUAGES.map((one) => ({
        key: one,
        label: <span lang={one}>{t(`language.${one}`)}</span>,
        checked: one === language,
        run: () => setLanguage(one),
      }))}
    />
  );
}

const ICONS = { system: Monitor, light: Sun, dark: Moon };

function ThemeMenu() {
  const { t } = useI18n();
  const theme = useTheme((state) => state.theme);
  const Icon = ICONS[theme];
  return (
    <Menu
      label={t('header.theme')}
      trigger={(menu) => (
        <IconButton label={t('header.theme')} {...menu}>
          <Icon size={18} aria-hidden="true" />
        </IconButton>
      )}
      items={THEMES.map((one) => {
        const ItemIcon = ICONS[one];
        return {
          key: one,
          icon: <ItemIcon size={16} aria-hidden="true" />,
          label: t(`theme.${one}`),
          checked: one === theme,
          run: () => setTheme(one),
        };
      })}
    />
  );
}
