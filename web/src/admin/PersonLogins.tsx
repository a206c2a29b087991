/** Who is logged in to a tool server that each person logs in to, and a way to end a login. Nobody sees a token. */

import { useCallback } from 'react';

import { useI18n } from '../i18n';
import { endPersonLogin, personLogins } from '../net/mcp_logins';
import { Disclosure } from '../ui/Disclosure';
import { Confirmed } from './Confirmed';
import { useReading } from './reading';
import { Refused } from './Refused';

const AGAIN = 10_000;

export function PersonLogins({ project, server }: { project: string; server: string }) {
  const { t, count, moment } = useI18n();
  const read = useCallback((signal: AbortSignal) => personLogins(project, server, signal), [project, server]);
  const { seen, refusal, again } = useReading(read, AGAIN);
  return (
    <div className="my-1">
      <Refused refusal={refusal} />
      <p className="text-small text-muted">{t('admin.logins.each')}</p>
      {seen?.logins.length === 0 && <p className="text-small text-muted">{t('admin.logins.nobody')}</p>}
      {seen !== null && seen.logins.length > 0 && (
        <Disclosure summary={count('admin.logins.people', seen.logins.length)}>
          <ul className="divide-y divide-line">
            {seen.logins.map((login) => (
              <li key={login.person} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                <p className="min-w-40 grow basis-0">
                  <span className="block font-medium break-words">{login.name}</span>
                  <span className="block text-small text-muted">
                    {t('admin.logins.since', { when: moment(login.since) })}
                    {login.state !== 'logged_in' && ` · ${t(`logins.state.${login.state}`)}`}
                  </span>
                </p>
                <Confirmed
                  label={t('admin.logins.end')}
                  about={t('admin.logins.end_of', { name: login.name, server })}
                  question={t('admin.logins.end_sure', { name: login.name, server })}
                  act={() => endPersonLogin(project, server, login.person)}
                  done={again}
                />
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  );
}
