/** Where one is logged in, each with a way to end it (Y-1). */

import { useEffect, useState } from 'react';

import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import * as api from '../net/api';
import { serverNow } from '../net/clock';
import { asRefusal, type Refusal } from '../net/http';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';

export function Sessions() {
  const i18n = useI18n();
  const { t, ago } = i18n;
  const now = serverNow(useNow(60_000));
  const [sessions, setSessions] = useState<api.ListedSession[] | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  useEffect(() => {
    api.listSessions().then(setSessions, (error: unknown) => setRefusal(asRefusal(error)));
  }, []);
  const end = async (id: string) => {
    try {
      await api.endSession(id);
      setSessions((before) => before?.filter((one) => one.id !== id) ?? null);
      setRefusal(null);
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <>
      {refusal && <p role="alert" className="text-small text-critical">{reasonFor(i18n, refusal)}</p>}
      <ul className="divide-y divide-line">
        {sessions?.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <p className="min-w-0 grow">
              <span className="block truncate font-medium">
                {session.person ? t('sessions.of', { name: session.name, person: session.person.name }) : session.name}
              </span>
              <span className="block text-small text-muted">
                {session.current ? t('sessions.current') : t('sessions.used', { when: ago(session.last_used_at, now) })}
              </span>
            </p>
            {!session.current && (
              <Button aria-label={t('sessions.end_of', { name: session.name })} onClick={() => void end(session.id)}>
                {t('sessions.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
