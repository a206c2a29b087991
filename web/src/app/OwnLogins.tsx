/** The tool servers that each person logs in to for themselves (I-5): how one stands with each, in and out. */

import { useEffect, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { serverNow } from '../net/clock';
import { asRefusal, type Refusal } from '../net/http';
import * as net from '../net/mcp_logins';
import { LOGINS } from '../state/address';
import { useParlor } from '../state/store';
import { announce } from '../ui/announce';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';

interface Action {
  (): Promise<unknown>;
}

/** A part of the settings; nothing if no server wants such a login. */
export function OwnLogins() {
  const i18n = useI18n();
  const { t } = i18n;
  const [servers, setServers] = useState<net.OwnLogin[] | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isBusy, setBusy] = useState(false);
  const part = useRef<HTMLElement>(null);
  useEffect(() => {
    net.ownLogins().then(setServers, (error: unknown) => setRefusal(asRefusal(error)));
  }, []);
  const isShown = (servers !== null && servers.length > 0) || refusal !== null;
  useEffect(() => {
    if (!isShown || window.location.hash !== LOGINS) return;
    part.current?.scrollIntoView();
    part.current?.focus();
  }, [isShown]);
  if (!isShown) return null;
  const act = async (action: Action) => {
    setBusy(true);
    setRefusal(null);
    await action().catch((error: unknown) => setRefusal(asRefusal(error)));
    setBusy(false);
  };
  // The login page sends the browser back to a page of ours.
  const logIn = ({ project, server }: net.OwnLogin) => act(async () => window.location.assign(await net.beginOwnLogin(project, server)));
  const logOut = ({ project, server }: net.OwnLogin) =>
    act(async () => {
      await net.logOut(project, server);
      announce(t('logins.out', { server }));
      setServers(await net.ownLogins());
    });
  return (
    <section ref={part} tabIndex={-1} aria-labelledby="own-logins" className="scroll-mt-6 space-y-2 outline-none">
      <h2 id="own-logins" className="text-title font-semibold">{t('logins.title')}</h2>
      <p className="text-small text-muted">{t('logins.note')}</p>
      {refusal && <p role="alert" className="text-small text-critical">{refusal.status === 502 ? refusal.message : reasonFor(i18n, refusal)}</p>}
      <ul className="divide-y divide-line">
        {servers?.map((login) => (
          <li key={`${login.project}/${login.server}`} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
            <Standing login={login} />
            {(login.state === 'needed' || login.state === 'more_needed') && (
              <Button look="primary" disabled={isBusy} aria-label={t(login.state === 'needed' ? 'logins.log_in_to' : 'logins.log_in_again_to', { server: login.server })} onClick={() => void logIn(login)}>
                {t(login.state === 'needed' ? 'logins.log_in' : 'logins.log_in_again')}
              </Button>
            )}
            {(login.state === 'logged_in' || login.state === 'more_needed') && (
              <Button disabled={isBusy} aria-label={t('logins.log_out_of', { server: login.server })} onClick={() => void logOut(login)}>
                {t('logins.log_out')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Standing({ login }: { login: net.OwnLogin }) {
  const { t, ago } = useI18n();
  const now = serverNow(useNow(60_000));
  const projects = useParlor((state) => state.me?.projects);
  const project = projects?.find((one) => one.id === login.project)?.name ?? login.project;
  const { state, since } = login;
  return (
    <p className="min-w-48 grow basis-0">
      <span className="block font-medium break-words">
        {login.server}
        {(projects?.length ?? 0) > 1 && <span className="font-normal text-muted"> · {project}</span>}
      </span>
      <span className={state === 'more_needed' ? 'block text-small text-warning' : 'block text-small text-muted'}>
        {state === 'logged_in' && since !== undefined ? t('logins.since', { when: ago(since, now) }) : t(`logins.state.${state}`)}
      </span>
    </p>
  );
}
