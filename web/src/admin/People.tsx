/** People with accounts of their own: their roles, shutting them out, inviting others; and all sessions. */

import { useId, useState } from 'react';

import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import { serverNow } from '../net/clock';
import { asRefusal, type Refusal } from '../net/http';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';
import { Confirmed } from './Confirmed';
import { Once } from './Once';
import { type Reading, useReading } from './reading';
import { Refused } from './Refused';
import { RoleField } from './RoleField';
import { Section } from './Section';
import { SessionTable } from './SessionTable';
import { CELL, Table } from './Table';

export function People() {
  const { t } = useI18n();
  const people = useReading(admin.people);
  /** The sessions are read again after somebody was shut out. */
  const [changes, setChanges] = useState(0);
  const changed = () => {
    people.again();
    setChanges(changes + 1);
  };
  return (
    <>
      <Section title={t('admin.people')} empty={people.seen?.people.length === 0 ? t('admin.people.nobody') : null}>
        <Refused refusal={people.refusal} />
        {people.seen && <PeopleTable people={people} changed={changed} />}
      </Section>
      <Invite />
      <SessionTable key={changes} />
    </>
  );
}

function PeopleTable({ people, changed }: { people: Reading<admin.PeopleList>; changed(): void }) {
  const { t } = useI18n();
  return (
    <Table label={t('admin.people')} columns={['admin.people.name', 'admin.people.role', 'admin.people.state', 'admin.people.seen', 'admin.people.actions']}>
      {people.seen?.people.map((person) => <PersonRow key={person.id} person={person} roles={people.seen?.roles ?? []} changed={changed} />)}
    </Table>
  );
}

function PersonRow({ person, roles, changed }: { person: admin.Person; roles: readonly string[]; changed(): void }) {
  const { t, ago, moment } = useI18n();
  const now = serverNow(useNow(60_000));
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const isMe = useParlor((state) => state.me?.person?.id === person.id);
  const { name } = person;
  const change = async (wanted: { disabled?: boolean; role?: admin.Role; roles?: string[] }) => {
    setRefusal(null);
    try {
      await admin.changePerson(person.id, wanted);
      changed();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <tr>
      <th scope="row" className={`${CELL} font-medium`}>
        {name}
        {isMe && <span className="font-normal text-muted"> · {t('admin.people.you')}</span>}
        {person.email && <span className="block font-normal text-muted">{person.email}</span>}
      </th>
      <td className={CELL}>
        {isMe || person.provider ? t(`admin.role.${person.role}`) : (
          <RoleField label={t('admin.people.role_of', { name })} role={person.role} choose={(role) => void change({ role })} />
        )}
        {person.provider && <span className="block text-muted">{t('admin.people.by_provider', { provider: person.provider })}</span>}
        {roles.length > 0 && <Roles person={person} roles={roles} choose={(chosen) => void change({ roles: chosen })} />}
        <Refused refusal={refusal} />
      </td>
      <td className={CELL}>
        {person.disabled_at === undefined
          ? <span className="text-success">{t('admin.people.may_enter')}</span>
          : <span className="text-critical">{t('admin.people.shut_out', { when: ago(person.disabled_at, now) })}</span>}
      </td>
      <td className={`${CELL} whitespace-nowrap`}>
        {person.last_seen_at === undefined ? t('admin.people.never') : <time title={moment(person.last_seen_at)}>{ago(person.last_seen_at, now)}</time>}
      </td>
      <td className={CELL}>
        <span className="flex flex-wrap items-start gap-1">
          {person.disabled_at === undefined ? (
            <>
              <Confirmed
                label={t('admin.people.end')}
                about={t('admin.people.end_of', { name })}
                question={t('admin.people.end_sure', { name })}
                act={() => admin.endSessionsOf(person.id)}
                done={changed}
              />
              {!isMe && (
                <Confirmed
                  label={t('admin.people.disable')}
                  about={t('admin.people.disable_of', { name })}
                  question={t('admin.people.disable_sure', { name })}
                  act={() => admin.changePerson(person.id, { disabled: true })}
                  done={changed}
                />
              )}
            </>
          ) : (
            <Button look="quiet" aria-label={t('admin.people.enable_of', { name })} onClick={() => void change({ disabled: false })}>
              {t('admin.people.enable')}
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

/** The roles of somebody, among those that the tenant has. */
function Roles({ person, roles, choose }: { person: admin.Person; roles: readonly string[]; choose(roles: string[]): void }) {
  const { t } = useI18n();
  const change = (role: string, has: boolean) => choose(roles.filter((one) => (one === role ? has : person.roles.includes(one))));
  return (
    <fieldset className="mt-1">
      <legend className="sr-only">{t('admin.people.roles_of', { name: person.name })}</legend>
      {roles.map((role) => (
        <label key={role} className="me-3 inline-flex items-center gap-1.5 py-1 pointer-coarse:min-h-11">
          <input type="checkbox" className="accent-accent" checked={person.roles.includes(role)} onChange={(event) => change(role, event.target.checked)} />
          {role}
        </label>
      ))}
    </fieldset>
  );
}

function Invite() {
  const { t } = useI18n();
  const id = useId();
  const [role, setRole] = useState<admin.Role>('user');
  const [made, setMade] = useState<admin.Invitation | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const make = async () => {
    setRefusal(null);
    try {
      setMade(await admin.invite(role));
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Section title={t('admin.people.invite')} empty={null}>
      <p className="mb-3 text-muted">{t('admin.people.invite_note')}</p>
      <div className="mb-3 flex flex-wrap items-end gap-3">
        <div>
          <label htmlFor={id} className="mb-1 block text-small font-medium">{t('admin.people.invite_as')}</label>
          <RoleField id={id} role={role} choose={setRole} />
        </div>
        <Button look="primary" onClick={() => void make()}>{t('admin.people.make_link')}</Button>
      </div>
      <Refused refusal={refusal} />
      {made && <Once label={t('admin.people.link')} text={made.link} copy={t('admin.people.copy_link')} />}
    </Section>
  );
}
