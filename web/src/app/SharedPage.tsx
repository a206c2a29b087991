/** A conversation that somebody shared with a link (Y-2): it is read, and nothing else. No account, no cookie. */

import { Link2Off } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';

import { type I18n, useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { showImagesFrom } from '../net/api';
import { asRefusal, onLoggedOut, type Refusal } from '../net/http';
import { followShared, readShared, sharedImagePath, type SharedView } from '../net/shared';
import { sharedConversation } from '../state/shared';
import { setState } from '../state/store';
import { Rows } from '../thread/Rows';
import { type Row, rowsOf } from '../thread/rows';
import { Button } from '../ui/Button';
import { Logo } from '../ui/Logo';
import { Announcer } from './Announcer';

/** Changes that come together are read once. In milliseconds. */
const TOGETHER = 400;

export default function SharedPage({ token }: { token: string }) {
  const i18n = useI18n();
  const { t, language } = i18n;
  const { view, refusal, read } = useShared(token);
  const rows = useRows(view);
  const title = view?.title ?? t('shared.title');
  useEffect(() => {
    document.documentElement.lang = language === 'pt' ? 'pt-BR' : 'en';
    document.title = `${title} · Parlor`;
  }, [language, title]);
  return (
    <>
      <div className="flex min-h-dvh flex-col">
        <header className="border-b border-line bg-surface">
          <div className="mx-auto flex w-full max-w-[46rem] items-start gap-3 px-4 py-4">
            <span className="mt-1 shrink-0"><Logo /></span>
            <div className="min-w-0">
              <h1 dir="auto" className="font-serif text-title font-semibold wrap-anywhere">{title}</h1>
              {view && <p className="text-small text-muted">{aboutOf(i18n, view)}</p>}
            </div>
          </div>
        </header>
        <main aria-label={t('thread.label')} aria-busy={!view && !refusal} className="mx-auto flex w-full max-w-[46rem] grow flex-col px-4 py-6">
          {refusal && <Refused refusal={refusal} again={read} />}
          {view && !refusal && (rows.length === 0 ? <p className="text-muted">{t('shared.empty')}</p> : <Rows drawing={whole(rows)} running={view.running} />)}
        </main>
        <footer className="border-t border-line">
          <p className="mx-auto w-full max-w-[46rem] px-4 py-4 text-small text-muted">{t('shared.read_only')}</p>
        </footer>
      </div>
      <Announcer />
    </>
  );
}

/** What the link shows, read again whenever there is more. */
function useShared(token: string): { view: SharedView | null; refusal: Refusal | null; read(): void } {
  const [view, setView] = useState<SharedView | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const counted = useRef(false);
  const read = useCallback(() => {
    const again = counted.current;
    counted.current = true;
    readShared(token, again).then(
      (fresh) => {
        setView(fresh);
        setRefusal(null);
      },
      (error: unknown) => {
        const refused = asRefusal(error);
        // What was taken back does not stay on the page.
        if (refused.code === 'not_found' || refused.code === 'unauthorized') setView(null);
        setRefusal(refused);
      },
    );
  }, [token]);
  useEffect(() => {
    // Who is not logged in is told so here; the address of the link goes to no other page.
    onLoggedOut(() => undefined);
    showImagesFrom((image) => sharedImagePath(token, image));
    setState({ readOnly: true });
    read();
  }, [token, read]);
  const follows = view?.follows === true && refusal === null;
  const cursor = useRef('0');
  cursor.current = view?.cursor ?? '0';
  useEffect(() => {
    if (!follows) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(read, TOGETHER);
    };
    // The next read says that the link has ended.
    const leave = followShared(token, cursor.current, { more: soon, gone: read });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [token, follows, read]);
  return { view, refusal, read };
}

/** Rows that did not change are the same objects as before. */
function useRows(view: SharedView | null): Row[] {
  const before = useRef<Row[]>([]);
  return useMemo(() => {
    before.current = view ? rowsOf(sharedConversation(view), null, before.current) : [];
    return before.current;
  }, [view]);
}

/** All rows: the page is read from its beginning, searched and printed by the browser. */
const whole = (rows: readonly Row[]) => ({ rows, above: 0, below: 0, hasEarlier: false, earlier: () => undefined, renderAt: () => undefined });

function aboutOf({ t, moment }: I18n, view: SharedView): string {
  const when = t(view.follows ? 'shared.follows' : 'shared.until', { when: moment(view.shared_at) });
  return view.project === '' ? when : `${view.project} · ${when}`;
}

function Refused({ refusal, again }: { refusal: Refusal; again(): void }) {
  const i18n = useI18n();
  const { t } = i18n;
  if (refusal.code === 'not_found') return <Said title={t('shared.gone')} text={t('shared.gone_text')} />;
  if (refusal.code === 'unauthorized') {
    return (
      <Said title={t('shared.log_in')} text={t('shared.log_in_text')}>
        <a href="/login" target="_blank" rel="noreferrer" className="font-medium text-accent underline underline-offset-2">{t('shared.to_login')}</a>
        <Button onClick={again}>{t('try_again')}</Button>
      </Said>
    );
  }
  return (
    <Said title={reasonFor(i18n, refusal)}>
      <Button look="primary" onClick={again}>{t('try_again')}</Button>
    </Said>
  );
}

function Said({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <div role="alert" className="m-auto max-w-sm space-y-3 text-center">
      <Link2Off size={22} aria-hidden="true" className="mx-auto text-muted" />
      <h2 className="text-title font-medium">{title}</h2>
      {text !== undefined && <p className="text-muted">{text}</p>}
      <div className="flex flex-wrap items-center justify-center gap-4">{children}</div>
    </div>
  );
}
