/** The chat inside a page of another site (U-12): the thread and little else. */

import { History, LogOut, Plus, X } from 'lucide-react';
import { useEffect } from 'react';

import { ArtifactPanel } from '../artifacts/ArtifactPanel';
import { focusComposer } from '../composer/focus';
import { preventDropNavigation } from '../composer/file_drop';
import { useI18n } from '../i18n';
import { chosenBy, setLanguage } from '../i18n/language';
import { reasonFor } from '../i18n/reasons';
import { refreshWhenBackOnline } from '../state/back_online';
import { open, startNew } from '../state/conversation';
import { currentProject, getState, useParlor } from '../state/store';
import { beginVisit, closeChat, enter, logOut, useVisit } from '../state/visit';
import { Thread } from '../thread/Thread';
import { Button, IconButton } from '../ui/Button';
import { ProjectLogo } from '../ui/Logo';
import { Menu, type MenuItem } from '../ui/Menu';
import { followAccent } from './accent';
import { announceChanges } from './announce_changes';
import { Announcer } from './Announcer';
import { ConnectionBar } from './ConnectionBar';
import { restoreLostFocus } from './lost_focus';
import { showTheme } from './theme';
import { useStopKey } from './stop_key';

/** So many earlier conversations are offered. */
const MOST = 12;

export default function EmbedApp() {
  const { language } = useI18n();
  const state = useVisit((visit) => visit.state);
  const opened = useVisit((visit) => visit.opened);
  useEffect(() => {
    // The page around this one says its language in the address.
    setLanguage(chosenBy([window.location.hash.slice(1), ...navigator.languages]));
    beginVisit();
  }, []);
  useEffect(() => announceChanges(), []);
  useEffect(() => restoreLostFocus(), []);
  useEffect(() => refreshWhenBackOnline(), []);
  useEffect(() => preventDropNavigation(), []);
  useEffect(() => {
    document.documentElement.lang = language === 'pt' ? 'pt-BR' : 'en';
  }, [language]);
  useEffect(() => {
    if (opened && state === 'in') focusComposer();
  }, [opened, state]);
  useSiteLook();
  useStopKey();
  useCloseKey();
  return (
    <div className="flex h-dvh flex-col overflow-clip">
      <EmbedHeader />
      {state === 'in' ? (
        <>
          <ConnectionBar />
          <div className="flex min-h-0 grow">
            <Thread />
            <ArtifactPanel />
          </div>
        </>
      ) : (
        <Entrance />
      )}
      <Announcer />
    </div>
  );
}

function EmbedHeader() {
  const { t } = useI18n();
  const project = useParlor(currentProject);
  const rows = useParlor((state) => state.list.rows);
  const at = useParlor((state) => state.conversation.id);
  const state = useVisit((visit) => visit.state);
  const items: MenuItem[] = rows.slice(0, MOST).map((row) => ({ key: row.id, label: row.title, checked: row.id === at, run: () => void open(row.id) }));
  const out: MenuItem = { key: 'log-out', label: t('embed.log_out'), icon: <LogOut size={15} aria-hidden="true" />, run: () => void logOut() };
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 pointer-coarse:h-14">
      <h1 className="flex min-w-0 grow items-center gap-2 px-1.5 font-medium">
        <ProjectLogo look={project?.look} />
        <span className="min-w-0 truncate">{project?.name ?? t('embed.chat')}</span>
      </h1>
      {state === 'in' && (
        <>
          <IconButton label={t('list.new')} onClick={() => startNew()}>
            <Plus size={18} aria-hidden="true" />
          </IconButton>
          <Menu
            label={t('embed.earlier')}
            items={[...items, out]}
            trigger={(menu) => (
              <IconButton label={t('embed.earlier')} {...menu}>
                <History size={18} aria-hidden="true" />
              </IconButton>
            )}
          />
        </>
      )}
      {state !== 'alone' && (
        <IconButton label={t('embed.close')} onClick={closeChat}>
          <X size={18} aria-hidden="true" />
        </IconButton>
      )}
    </header>
  );
}

/** Before there is a session, and after it. */
function Entrance() {
  const i18n = useI18n();
  const { t } = i18n;
  const { state, failure } = useVisit();
  const why = failure && failure.code !== 'unauthorized' ? reasonFor(i18n, failure) : null;
  if (state === 'entering') {
    return (
      <main className="grid grow place-items-center p-6 text-muted" aria-busy="true">
        <p role="status">{t('embed.entering')}</p>
      </main>
    );
  }
  const text = state === 'alone' ? t('embed.alone') : state === 'out' ? t('embed.out') : (why ?? t('embed.refused'));
  return (
    <main className="grid grow place-items-center p-6">
      <div className="max-w-sm space-y-4 text-center">
        <p role={state === 'refused' ? 'alert' : 'status'}>{text}</p>
        {state !== 'alone' && (
          <Button look="primary" onClick={() => void enter()}>
            {t(state === 'out' ? 'embed.again' : 'try_again')}
          </Button>
        )}
      </div>
    </main>
  );
}

/** Theme, accent, corners and typeface of the site, as far as it says them. */
function useSiteLook(): void {
  const { look, accent } = useVisit();
  useEffect(() => {
    const theme = look.theme ?? 'auto';
    showTheme(theme === 'auto' ? 'system' : theme);
  }, [look.theme]);
  useEffect(() => {
    const { style } = document.documentElement;
    if (look.radius !== undefined) {
      style.setProperty('--round-card', `${look.radius}px`);
      style.setProperty('--round-control', `${Math.round(look.radius * 0.8)}px`);
    }
    if (look.font !== undefined) style.fontFamily = `${look.font}, system-ui, sans-serif`;
  }, [look.radius, look.font]);
  useEffect(() => {
    if (accent === null) return followAccent();
    const { style } = document.documentElement;
    style.setProperty('--project-accent-light', accent.light);
    style.setProperty('--project-accent-dark', accent.dark);
    return undefined;
  }, [accent]);
}

/** Escape closes the chat if nothing else wants the key. */
function useCloseKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      const isUsed = document.querySelector('dialog[open], [popover]:popover-open') !== null;
      if (!isUsed && getState().conversation.turn === null) closeChat();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
