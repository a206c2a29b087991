/** Links with which others read a conversation (Y-2): making one, what there are, taking them back. */

import { X } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';

import { type I18n, useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { serverNow } from '../net/clock';
import { asRefusal, type Refusal } from '../net/http';
import { type LinkAudience, listLinks, makeLink, type ShareLink, takeLinkBack } from '../net/shared';
import { useParlor } from '../state/store';
import { announce } from '../ui/announce';
import { Button, IconButton } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { useNow } from '../ui/now';

const DAYS = [1, 7, 30];

interface Props {
  conversation: string;
  title: string;
  close(): void;
}

export default function ShareDialog({ conversation, title, close }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const dialog = useRef<HTMLDialogElement>(null);
  const [links, setLinks] = useState<ShareLink[] | null>(null);
  const [made, setMade] = useState<{ id: string; link: string } | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
    listLinks(conversation).then(setLinks, (error: unknown) => setRefusal(asRefusal(error)));
  }, [conversation]);
  const leave = () => dialog.current?.close();
  const add = ({ link, ...one }: ShareLink & { link: string }) => {
    setLinks((before) => [one, ...(before ?? [])]);
    setMade({ id: one.id, link });
    setRefusal(null);
    announce(t('share.made'));
  };
  const takeBack = async (id: string) => {
    try {
      await takeLinkBack(conversation, id);
    } catch (error) {
      const refused = asRefusal(error);
      if (refused.code !== 'not_found') return setRefusal(refused);
    }
    setLinks((before) => before?.filter((one) => one.id !== id) ?? null);
    setMade((before) => (before?.id === id ? null : before));
    announce(t('share.taken_back'));
    dialog.current?.querySelector<HTMLElement>('[data-share-title]')?.focus();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="share-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && leave()}
      className="m-auto max-h-[86dvh] w-[min(34rem,calc(100vw-2rem))] overflow-y-auto rounded-card border border-line bg-surface p-6 shadow-float backdrop:bg-shade"
    >
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h2 id="share-title" data-share-title="" tabIndex={-1} className="rounded-control font-serif text-title font-semibold focus-visible:outline-none">{t('share.title')}</h2>
          <p dir="auto" className="truncate text-muted">{title}</p>
        </div>
        <IconButton label={t('share.close')} onClick={leave} className="-me-2 -mt-1.5">
          <X size={18} aria-hidden="true" />
        </IconButton>
      </div>
      {refusal && <p role="alert" className="mt-3 text-small text-critical">{reasonFor(i18n, refusal)}</p>}
      {made ? <Made link={made.link} another={() => setMade(null)} /> : <NewLink conversation={conversation} add={add} refuse={setRefusal} />}
      <Links links={links} takeBack={(id) => void takeBack(id)} />
    </dialog>
  );
}

function NewLink({ conversation, add, refuse }: { conversation: string; add(made: ShareLink & { link: string }): void; refuse(refusal: Refusal): void }) {
  const { t, count } = useI18n();
  const anyone = useParlor((state) => state.me?.share_links === 'anyone');
  const [audience, setAudience] = useState<LinkAudience>('tenant');
  const [follows, setFollows] = useState(false);
  const [results, setResults] = useState(false);
  const [days, setDays] = useState<number>(30);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      add(await makeLink(conversation, { audience, follows, results, ...(days > 0 ? { expires_in_days: days } : {}) }));
    } catch (error) {
      refuse(asRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void make(event)} className="mt-4 space-y-4">
      <fieldset>
        <legend className="font-medium">{t('share.audience')}</legend>
        <Choice name={id} chosen={audience === 'tenant'} choose={() => setAudience('tenant')} label={t('share.tenant')} />
        {anyone ? (
          <Choice name={id} chosen={audience === 'anyone'} choose={() => setAudience('anyone')} label={t('share.anyone')} hint={t('share.anyone_hint')} />
        ) : (
          <p className="mt-1 text-small text-muted">{t('share.only_tenant')}</p>
        )}
      </fieldset>
      <fieldset>
        <legend className="font-medium">{t('share.shows')}</legend>
        <p className="text-small text-muted">{t('share.shows_hint')}</p>
        <Check label={t('share.follows')} checked={follows} set={setFollows} />
        <Check label={t('share.results')} checked={results} set={setResults} />
      </fieldset>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <label className="block">
          <span className="block font-medium">{t('share.expires')}</span>
          <select value={days} onChange={(event) => setDays(Number(event.target.value))} className="field mt-1 w-auto min-w-36">
            {DAYS.map((one) => <option key={one} value={one}>{count('share.days', one)}</option>)}
            <option value={0}>{t('share.never')}</option>
          </select>
        </label>
        <Button type="submit" look="primary" disabled={busy}>{t('share.make')}</Button>
      </div>
    </form>
  );
}

function Choice({ name, chosen, choose, label, hint }: { name: string; chosen: boolean; choose(): void; label: string; hint?: string }) {
  return (
    <label className="mt-1 flex items-start gap-2 py-1 pointer-coarse:min-h-11">
      <input type="radio" name={name} checked={chosen} onChange={choose} className="mt-1.5 accent-accent" />
      <span>
        {label}
        {hint !== undefined && <span className="block text-small text-muted">{hint}</span>}
      </span>
    </label>
  );
}

function Check({ label, checked, set }: { label: string; checked: boolean; set(checked: boolean): void }) {
  return (
    <label className="mt-1 flex items-start gap-2 py-1 pointer-coarse:min-h-11">
      <input type="checkbox" checked={checked} onChange={(event) => set(event.target.checked)} className="mt-1.5 accent-accent" />
      <span>{label}</span>
    </label>
  );
}

function Made({ link, another }: { link: string; another(): void }) {
  const { t } = useI18n();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [link]);
  return (
    <div className="mt-4 space-y-2 rounded-card border border-line bg-page p-4">
      <label htmlFor={id} className="block font-medium">{t('share.link')}</label>
      <div className="flex items-center gap-2">
        <input ref={field} id={id} readOnly value={link} className="field font-mono text-small" />
        <CopyButton text={link} label={t('share.copy')} />
      </div>
      <p className="text-small text-muted">{t('share.once')}</p>
      <Button onClick={another}>{t('share.another')}</Button>
    </div>
  );
}

function Links({ links, takeBack }: { links: readonly ShareLink[] | null; takeBack(id: string): void }) {
  const i18n = useI18n();
  const { t, moment } = i18n;
  const now = serverNow(useNow(60_000));
  if (links === null || links.length === 0) return null;
  return (
    <section aria-label={t('share.links')} className="mt-6">
      <h3 className="text-small font-medium text-muted">{t('share.links')}</h3>
      <ul className="mt-1 divide-y divide-line">
        {links.map((link) => (
          <li key={link.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
            <p className="min-w-0 grow basis-60">
              <span className="block">{whatOf(i18n, link)}</span>
              <span className="block text-small text-muted">{t('share.by', { name: link.made_by, when: moment(link.created_at) })}</span>
              <span className="block text-small text-muted">{usedOf(i18n, link, now)}</span>
            </p>
            <Button aria-label={t('share.take_back_of', { when: moment(link.created_at) })} onClick={() => takeBack(link.id)}>{t('share.take_back')}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function whatOf({ t }: I18n, link: ShareLink): string {
  const parts = [t(link.audience === 'anyone' ? 'share.for_anyone' : 'share.for_tenant')];
  if (link.follows) parts.push(t('share.with_more'));
  if (link.results) parts.push(t('share.with_results'));
  return parts.join(' · ');
}

function usedOf({ t, count, ago, moment }: I18n, link: ShareLink, now: number): string {
  const used = link.last_opened_at === undefined ? t('share.never_opened') : count('share.opened', link.opened, { when: ago(link.last_opened_at, now) });
  return link.expires_at === undefined ? used : `${used} · ${t('share.until', { when: moment(link.expires_at) })}`;
}
