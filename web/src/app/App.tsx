import { lazy, Suspense, useEffect, useRef, useState } from 'react';

import { ArtifactPanel } from '../artifacts/ArtifactPanel';
import { readLocal, writeLocal } from '../browser/local_storage';
import { preventDropNavigation } from '../composer/file_drop';
import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { refreshWhenBackOnline } from '../state/back_online';
import { followBudgets } from '../state/budgets';
import type { Page } from '../state/address';
import { goToAddress, startPage } from '../state/conversation';
import { followWaiting, refreshListSoon, refreshWaiting } from '../state/list';
import { closePage, openPage } from '../state/pages';
import { getState, useParlor } from '../state/store';
import { Thread } from '../thread/Thread';
import { Button } from '../ui/Button';
import { useMedia, WIDE } from '../ui/media';
import { followAccent } from './accent';
import { announceChanges, showTitle } from './announce_changes';
import { Announcer } from './Announcer';
import { followBadge } from './badge';
import { ConnectionBar } from './ConnectionBar';
import { Header } from './Header';
import { restoreLostFocus } from './lost_focus';
import { useOverlay, useOverlayKeys } from './overlays';
import { Sidebar } from './Sidebar';
import { useStopKey } from './stop_key';
import { ToastBar } from './ToastBar';

/** The delay before a page that could not be loaded is loaded again, in milliseconds. */
const AGAIN = 4_000;

/** How often what waits in other conversations is read, in milliseconds. */
const WAITING_AGAIN = 60_000;

const AdminPage = lazy(() => import('../admin/AdminPage'));
const WaitingPage = lazy(() => import('./WaitingPage'));
const SettingsPage = lazy(() => import('./SettingsPage'));
const Palette = lazy(() => import('./Palette'));
const KeysDialog = lazy(() => import('./KeysDialog'));

export function App() {
  const i18n = useI18n();
  const { t, language } = i18n;
  const failure = useParlor((state) => state.failure);
  useEffect(() => announceChanges(), []);
  useEffect(() => followAccent(), []);
  useEffect(() => restoreLostFocus(), []);
  useEffect(() => refreshWhenBackOnline(), []);
  useEffect(() => preventDropNavigation(), []);
  useEffect(() => followWaiting(WAITING_AGAIN), []);
  useEffect(() => followBudgets(), []);
  useEffect(() => followBadge(), []);
  useEffect(() => {
    if (!failure || failure.code === 'unauthorized') return;
    const timer = setTimeout(() => void startPage(), AGAIN);
    return () => clearTimeout(timer);
  }, [failure]);
  useEffect(() => {
    void startPage();
    const back = () => {
      if (document.visibilityState !== 'visible') return;
      refreshListSoon();
      void refreshWaiting();
    };
    document.addEventListener('visibilitychange', back);
    window.addEventListener('popstate', goToAddress);
    return () => {
      document.removeEventListener('visibilitychange', back);
      window.removeEventListener('popstate', goToAddress);
    };
  }, []);
  useEffect(() => {
    document.documentElement.lang = language === 'pt' ? 'pt-BR' : 'en';
    showTitle(getState());
  }, [language]);
  useStopKey();
  useOverlayKeys();

  if (failure && failure.code !== 'unauthorized') {
    return (
      <main className="grid h-dvh place-items-center p-6">
        <div role="alert" className="max-w-sm space-y-4 text-center">
          <h1 className="font-serif text-display font-semibold">Parlor</h1>
          <p>{reasonFor(i18n, failure)}</p>
          <Button look="primary" onClick={() => void startPage()}>{t('try_again')}</Button>
        </div>
      </main>
    );
  }
  return (
    <>
      <Layout />
      <Overlays />
      <ToastBar />
      <Announcer />
    </>
  );
}

function Overlays() {
  const overlay = useOverlay((state) => state.overlay);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' && <Palette />}
      {overlay === 'keys' && <KeysDialog />}
    </Suspense>
  );
}

function Layout() {
  const { t } = useI18n();
  const wide = useMedia(WIDE);
  const [folded, setFolded] = useState(() => readLocal('list') === 'folded');
  const [drawer, setDrawer] = useState(false);
  const admin = useParlor((state) => state.me?.role === 'admin');
  const page = useParlor((state) => state.page);
  const toggle = () => {
    if (!wide) return setDrawer(true);
    writeLocal('list', folded ? null : 'folded');
    setFolded(!folded);
  };
  return (
    <div className="flex h-dvh overflow-clip">
      {page === 'chat' && (
        <a href="#composer" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-control focus:bg-surface focus:px-4 focus:py-2 focus:shadow-float">
          {t('skip')}
        </a>
      )}
      {wide && !folded && (
        <div className="flex w-[260px] shrink-0 flex-col border-e border-line bg-page">
          <Sidebar chosen={() => undefined} />
        </div>
      )}
      {!wide && drawer && <Drawer close={() => setDrawer(false)} />}
      <div className="flex min-w-0 grow flex-col">
        <Header
          listShown={wide ? !folded : drawer}
          toggleList={toggle}
          showSettings={() => (page === 'settings' ? closePage() : openPage('settings'))}
          showAdmin={admin ? () => (page === 'admin' ? closePage() : openPage('admin')) : null}
        />
        <ConnectionBar />
        <div className="flex min-h-0 grow">
          <Suspense fallback={null}>
            <Shown page={page === 'admin' && !admin ? 'chat' : page} />
          </Suspense>
        </div>
      </div>
    </div>
  );
}

function Shown({ page }: { page: Page }) {
  switch (page) {
    case 'admin':
      return <AdminPage close={closePage} />;
    case 'waiting':
      return <WaitingPage />;
    case 'settings':
      return <SettingsPage />;
    default:
      return (
        <>
          <Thread />
          <ArtifactPanel />
        </>
      );
  }
}

function Drawer({ close }: { close(): void }) {
  const { t } = useI18n();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // The browser returns the focus to the button when it closes a dialog, not when React removes it.
  const leave = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      aria-label={t('list.label')}
      onClose={close}
      onClick={(event) => event.target === dialog.current && leave()}
      className="m-0 h-dvh max-h-none w-[min(20rem,85vw)] max-w-none border-e border-line bg-page backdrop:bg-shade"
    >
      <div className="flex h-full flex-col">
        <Sidebar chosen={leave} />
      </div>
    </dialog>
  );
}
