/** The page of administrators: tabs, each with an address of its own. */

import { X } from 'lucide-react';
import { type MouseEvent, useEffect, useRef } from 'react';

import { useI18n } from '../i18n';
import { ADMIN_TABS, adminPath, type AdminTab } from '../state/address';
import { openAdminTab } from '../state/pages';
import { useParlor } from '../state/store';
import { IconButton } from '../ui/Button';
import { classes } from '../ui/classes';
import { onEscape } from '../ui/escape';
import { Blocked } from './Blocked';
import { Configuration } from './Configuration';
import { Decisions } from './Decisions';
import { Keys } from './Keys';
import { Overview } from './Overview';
import { People } from './People';
import { Prompts } from './Prompts';
import { Servers } from './Servers';
import { UsageTab } from './UsageTab';

export default function AdminPage({ close }: { close(): void }) {
  const { t } = useI18n();
  const tab = useParlor((state) => state.adminTab);
  const page = useRef<HTMLElement>(null);
  useEffect(() => page.current?.scrollTo?.(0, 0), [tab]);
  return (
    <main ref={page} aria-label={t('admin.title')} className="min-h-0 min-w-0 grow overflow-y-auto" tabIndex={0} onKeyDown={onEscape(close)}>
      <div className="mx-auto max-w-5xl space-y-8 px-4 py-8 sm:px-8">
        <div className="flex items-start justify-between gap-4">
          <h1 className="min-w-0 font-serif text-display font-semibold">{t('admin.title')}</h1>
          <IconButton label={t('admin.close')} onClick={close}>
            <X size={18} aria-hidden="true" />
          </IconButton>
        </div>
        <Tabs current={tab} />
        <div key={tab} className="space-y-10">
          <Shown tab={tab} close={close} />
        </div>
      </div>
    </main>
  );
}

function Tabs({ current }: { current: AdminTab }) {
  const { t } = useI18n();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const chosen = list.current?.querySelector('[aria-current]');
    chosen?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  const choose = (event: MouseEvent, tab: AdminTab) => {
    // A click that asks for another window stays one.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openAdminTab(tab);
  };
  return (
    <nav aria-label={t('admin.tabs')}>
      <ul ref={list} className="flex flex-wrap gap-1 border-b border-line pb-2">
        {ADMIN_TABS.map((tab) => (
          <li key={tab}>
            <a
              href={adminPath(tab)}
              aria-current={tab === current ? 'page' : undefined}
              onClick={(event) => choose(event, tab)}
              className={classes(
                'inline-flex min-h-9 items-center rounded-control px-3 font-medium pointer-coarse:min-h-11',
                tab === current ? 'bg-raised text-ink underline decoration-accent decoration-2 underline-offset-6' : 'text-muted hover:bg-raised hover:text-ink',
              )}
            >
              {t(`admin.tab.${tab}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Shown({ tab, close }: { tab: AdminTab; close(): void }) {
  switch (tab) {
    case 'overview':
      return <Overview close={close} />;
    case 'people':
      return <People />;
    case 'keys':
      return <Keys />;
    case 'prompts':
      return <Prompts />;
    case 'decisions':
      return <Decisions />;
    case 'blocked':
      return <Blocked />;
    case 'servers':
      return <Servers />;
    case 'usage':
      return <UsageTab />;
    case 'configuration':
      return <Configuration />;
  }
}
