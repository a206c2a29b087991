/** The sessions of all people and of the shared account. */

import { useI18n } from '../i18n';
import * as api from '../net/api';
import { serverNow } from '../net/clock';
import { useNow } from '../ui/now';
import { Confirmed } from './Confirmed';
import { useReading } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';
import { CELL, Table } from './Table';

const AGAIN = 60_000;

export function SessionTable() {
  const { t, ago } = useI18n();
  const now = serverNow(useNow(60_000));
  const { seen, refusal, again } = useReading(api.listSessions, AGAIN);
  return (
    <Section title={t('admin.sessions')} empty={seen?.length === 0 ? t('admin.sessions.none') : null}>
      <Refused refusal={refusal} />
      {seen && (
        <Table label={t('admin.sessions')} limited columns={['admin.sessions.where', 'admin.sessions.who', 'admin.sessions.used', 'admin.people.actions']}>
          {seen.map((session) => {
            const who = session.person?.name ?? t('admin.shared_account');
            return (
              <tr key={session.id}>
                <th scope="row" className={`${CELL} font-medium`}>{session.name}</th>
                <td className={CELL}>{who}</td>
                <td className={`${CELL} whitespace-nowrap`}>{session.current ? t('admin.sessions.this') : ago(session.last_used_at, now)}</td>
                <td className={CELL}>
                  {!session.current && (
                    <Confirmed
                      label={t('admin.sessions.end')}
                      about={t('admin.sessions.end_of', { name: session.name, who })}
                      question={t('admin.sessions.end_of', { name: session.name, who })}
                      act={() => api.endSession(session.id)}
                      done={again}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </Table>
      )}
    </Section>
  );
}
