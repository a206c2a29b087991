/** What holds, and where each value comes from. */

import { useId, useState } from 'react';

import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import { useReading } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';
import { CELL, Table } from './Table';

export function Configuration() {
  const { t } = useI18n();
  const id = useId();
  const { seen, refusal } = useReading(admin.configuration);
  const [find, setFind] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const wanted = find.trim().toLowerCase();
  const fits = (value: admin.ConfigurationValue) => (!onlySet || value.source !== 'default') && `${value.key} ${shown(value.value)}`.toLowerCase().includes(wanted);
  const values = seen?.values.filter(fits) ?? [];
  return (
    <Section title={t(seen?.scope === 'tenant' ? 'admin.configuration.tenant' : 'admin.configuration.server')} empty={null}>
      <Refused refusal={refusal} />
      <p className="mb-3 text-muted">
        {seen?.scope === 'tenant' && <span className="block">{t('admin.configuration.tenant_note')}</span>}
        {t('admin.configuration.note')}
      </p>
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-48 grow">
          <label htmlFor={id} className="mb-1 block text-small font-medium">{t('admin.configuration.find')}</label>
          <input id={id} type="search" className="field" value={find} onChange={(event) => setFind(event.target.value)} />
        </div>
        <label className="flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
          <input type="checkbox" checked={onlySet} onChange={(event) => setOnlySet(event.target.checked)} className="size-4 accent-(--accent)" />
          {t('admin.configuration.only_set')}
        </label>
      </div>
      {seen && values.length === 0 && <p role="status" className="text-muted">{t('admin.configuration.none')}</p>}
      {values.length > 0 && (
        <Table label={t('admin.tab.configuration')} columns={['admin.configuration.key', 'admin.configuration.value', 'admin.configuration.source']}>
          {values.map((value) => (
            <tr key={value.key}>
              <th scope="row" className={`${CELL} font-mono font-normal [overflow-wrap:anywhere]`}>{value.key}</th>
              <td className={`${CELL} max-w-96 font-mono whitespace-pre-wrap [overflow-wrap:anywhere]`}>{shown(value.value)}</td>
              <td className={`${CELL} ${value.source === 'default' ? 'text-muted' : 'font-medium'}`}>{value.place ?? t('admin.configuration.default')}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

/** A text as it is, anything else as JSON. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
