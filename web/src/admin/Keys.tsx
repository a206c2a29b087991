/** API keys: the list, a new one, revoking one. */

import { type FormEvent, useId, useState } from 'react';

import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import { serverNow } from '../net/clock';
import { asRefusal, type Refusal } from '../net/http';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';
import { Confirmed } from './Confirmed';
import { Once } from './Once';
import { useReading } from './reading';
import { Refused } from './Refused';
import { RoleField } from './RoleField';
import { Section } from './Section';
import { CELL, Table } from './Table';

const LONGEST_NAME = 80;

export function Keys() {
  const { t } = useI18n();
  const { seen, refusal, again } = useReading(admin.keys);
  return (
    <>
      <Section title={t('admin.keys')} empty={seen?.length === 0 ? t('admin.keys.none') : null}>
        <Refused refusal={refusal} />
        {seen && (
          <Table label={t('admin.keys')} columns={['admin.keys.name', 'admin.keys.role', 'admin.keys.whose', 'admin.keys.used', 'admin.keys.state', 'admin.people.actions']}>
            {seen.map((key) => <KeyRow key={key.id} of={key} changed={again} />)}
          </Table>
        )}
      </Section>
      <NewKey made={again} />
    </>
  );
}

function KeyRow({ of: key, changed }: { of: admin.ApiKey; changed(): void }) {
  const { t, ago, day } = useI18n();
  const now = serverNow(useNow(60_000));
  const { name } = key;
  return (
    <tr>
      <th scope="row" className={`${CELL} font-medium`}>
        {name}
        {key.created_at !== undefined && <span className="block font-normal text-muted">{day(key.created_at)}</span>}
      </th>
      <td className={CELL}>{t(`admin.role.${key.role}`)}</td>
      <td className={CELL}>{key.person?.name ?? t('admin.shared_account')}</td>
      <td className={`${CELL} whitespace-nowrap`}>{key.last_used_at === undefined ? '–' : ago(key.last_used_at, now)}</td>
      <td className={CELL}>
        {key.revoked_at !== undefined
          ? <span className="text-muted">{t('admin.keys.revoked', { when: ago(key.revoked_at, now) })}</span>
          : <span className="text-success">{t(key.from_environment ? 'admin.keys.environment' : 'admin.keys.valid')}</span>}
      </td>
      <td className={CELL}>
        {key.revoked_at === undefined && !key.from_environment && (
          <Confirmed
            label={t('admin.keys.revoke')}
            about={t('admin.keys.revoke_of', { name })}
            question={t('admin.keys.revoke_sure', { name })}
            act={() => admin.revokeKey(key.id)}
            done={changed}
          />
        )}
      </td>
    </tr>
  );
}

function NewKey({ made: changed }: { made(): void }) {
  const { t } = useI18n();
  const id = useId();
  const person = useParlor((state) => state.me?.person ?? null);
  const [name, setName] = useState('');
  const [role, setRole] = useState<admin.Role>('user');
  const [own, setOwn] = useState(false);
  const [made, setMade] = useState<admin.MadeKey | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    try {
      setMade(await admin.createKey({ name, role, own }));
      setName('');
      changed();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Section title={t('admin.keys.create')} empty={null}>
      <p className="mb-3 text-muted">{t('admin.keys.create_note')}</p>
      <form className="mb-3 flex flex-wrap items-end gap-3" onSubmit={(event) => void make(event)}>
        <div className="min-w-48 grow">
          <label htmlFor={`${id}-name`} className="mb-1 block text-small font-medium">{t('admin.keys.new_name')}</label>
          <input id={`${id}-name`} className="field" required maxLength={LONGEST_NAME} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
        </div>
        <div>
          <label htmlFor={`${id}-role`} className="mb-1 block text-small font-medium">{t('admin.keys.role')}</label>
          <RoleField id={`${id}-role`} role={role} choose={setRole} />
        </div>
        {person && (
          <label className="flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
            <input type="checkbox" checked={own} onChange={(event) => setOwn(event.target.checked)} className="size-4 accent-(--accent)" />
            {t('admin.keys.own')}
          </label>
        )}
        <Button type="submit" look="primary">{t('admin.keys.create')}</Button>
      </form>
      <Refused refusal={refusal} />
      {made && <Once label={`${t('admin.keys.key')}: ${made.name}`} text={made.key} copy={t('admin.keys.copy')} />}
    </Section>
  );
}
