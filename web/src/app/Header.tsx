import { Activity, Command, LogOut, PanelLeft, Settings } from 'lucide-react';

import { useI18n } from '../i18n';
import { startNew } from '../state/conversation';
import { clearPersonalData } from '../state/login';
import { useParlor } from '../state/store';
import { IconButton } from '../ui/Button';
import { Menu } from '../ui/Menu';
import { showOverlay } from './overlays';

interface Props {
  listShown: boolean;
  toggleList(): void;
  showSettings(): void;
  showAdmin: (() => void) | null;
}

/** The header: project and title, commands, settings, log-out. */
export function Header({ listShown, toggleList, showSettings, showAdmin }: Props) {
  const { t } = useI18n();
  const person = useParlor((state) => state.me?.person?.name);
  const logOut = person === undefined ? t('header.log_out') : t('header.log_out_of', { name: person });
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 max-[24rem]:gap-0 pointer-coarse:h-14">
      <ListButton shown={listShown} toggle={toggleList} />
      <ProjectName />
      <Title />
      <span className="grow" />
      <IconButton label={t('palette.open')} aria-keyshortcuts="Control+K Meta+K" aria-haspopup="dialog" onClick={() => showOverlay('palette')}>
        <Command size={18} aria-hidden="true" />
      </IconButton>
      {showAdmin && (
        <IconButton label={t('header.admin')} onClick={showAdmin}>
          <Activity size={18} aria-hidden="true" />
        </IconButton>
      )}
      <IconButton label={t('settings.title')} onClick={showSettings}>
        <Settings size={18} aria-hidden="true" />
      </IconButton>
      <form method="post" action="/logout" onSubmit={clearPersonalData} className="contents">
        <IconButton type="submit" label={logOut}>
          <LogOut size={18} aria-hidden="true" />
        </IconButton>
      </form>
    </header>
  );
}

/** Shows or hides the list. While it is hidden, a dot says that something waits. */
function ListButton({ shown, toggle }: { shown: boolean; toggle(): void }) {
  const { t, count } = useI18n();
  const waiting = useParlor((state) => state.waiting.length);
  const dotted = !shown && waiting > 0;
  const label = t(shown ? 'header.hide_list' : 'header.show_list');
  return (
    <IconButton label={dotted ? `${label} (${count('waiting.count', waiting)})` : label} aria-expanded={shown} onClick={toggle} className="relative">
      <PanelLeft size={18} aria-hidden="true" />
      {dotted && <span aria-hidden="true" className="absolute end-1.5 top-1.5 size-2 rounded-full bg-question" />}
    </IconButton>
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
