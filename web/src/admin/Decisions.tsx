/** Who decided what: searched, page by page, exported; and what administrators did. */

import { type FormEvent, type ReactNode, useCallback, useId, useState } from 'react';

import { type Key, useI18n } from '../i18n';
import { CATALOGUES } from '../i18n';
import * as admin from '../net/admin';
import type { PromptOutcome } from '../protocol/generated';
import { Button } from '../ui/Button';
import { Disclosure } from '../ui/Disclosure';
import { VisibleText } from '../ui/VisibleText';
import { More } from './More';
import { usePages } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';
import { CELL, Table } from './Table';

const NOTHING: admin.DecisionSearch = { q: '', tool: '', person: '', outcome: '', from: '', to: '' };
const OUTCOMES: readonly PromptOutcome[] = ['answered', 'refused', 'expired', 'cancelled'];
const LONGEST = 200;
const LINK = 'inline-flex min-h-9 items-center rounded-control border border-(--outline) bg-surface px-3.5 font-medium hover:bg-raised pointer-coarse:min-h-11';

export function Decisions() {
  const { t } = useI18n();
  const [search, setSearch] = useState(NOTHING);
  const read = useCallback((before: string | null, signal: AbortSignal) => admin.decisions(search, before, signal), [search]);
  const { rows, refusal, more } = usePages(read);
  const nothing = t(more ? 'admin.decisions.further' : 'admin.decisions.none');
  return (
    <>
      <Section title={t('admin.decisions')} empty={null}>
        <Search find={setSearch} />
        <p className="my-4 flex flex-wrap gap-2">
          <a className={LINK} href={admin.decisionsFile(search, 'csv')} download>{t('admin.decisions.export_csv')}</a>
          <a className={LINK} href={admin.decisionsFile(search, 'json')} download>{t('admin.decisions.export_json')}</a>
        </p>
        <Refused refusal={refusal} />
        {rows?.length === 0 && <p role="status" className="text-muted">{nothing}</p>}
        {rows !== null && rows.length > 0 && (
          <Table label={t('admin.decisions')} columns={['admin.decisions.when', 'admin.decisions.what', 'admin.decisions.outcome', 'admin.decisions.person']}>
            {rows.map((decision) => <DecisionRow key={decision.id} decision={decision} />)}
          </Table>
        )}
        <More more={more} />
      </Section>
      <Acts />
    </>
  );
}

function Search({ find }: { find(search: admin.DecisionSearch): void }) {
  const { t } = useI18n();
  const id = useId();
  const [search, setSearch] = useState(NOTHING);
  const set = (change: Partial<admin.DecisionSearch>) => setSearch({ ...search, ...change });
  const text = (name: 'q' | 'tool' | 'person', label: Key) => (
    <Field label={t(label)} id={`${id}-${name}`}>
      <input id={`${id}-${name}`} className="field" maxLength={LONGEST} value={search[name]} onChange={(event) => set({ [name]: event.target.value })} />
    </Field>
  );
  const day = (name: 'from' | 'to', label: Key) => (
    <Field label={t(label)} id={`${id}-${name}`}>
      <input id={`${id}-${name}`} type="date" className="field" value={search[name]} onChange={(event) => set({ [name]: event.target.value })} />
    </Field>
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    find(search);
  };
  return (
    <form role="search" aria-label={t('admin.decisions.search')} onSubmit={submit} className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] items-end gap-3">
      {text('q', 'admin.decisions.q')}
      {text('tool', 'admin.decisions.tool')}
      {text('person', 'admin.decisions.person')}
      <Field label={t('admin.decisions.outcome')} id={`${id}-outcome`}>
        <select id={`${id}-outcome`} className="field" value={search.outcome} onChange={(event) => set({ outcome: event.target.value as PromptOutcome | '' })}>
          <option value="">{t('admin.decisions.any')}</option>
          {OUTCOMES.map((outcome) => <option key={outcome} value={outcome}>{t(`admin.outcome.${outcome}`)}</option>)}
        </select>
      </Field>
      {day('from', 'admin.decisions.from')}
      {day('to', 'admin.decisions.to')}
      <Button type="submit" look="primary">{t('admin.decisions.find')}</Button>
    </form>
  );
}

function Field({ label, id, children }: { label: string; id: string; children: ReactNode }) {
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-small font-medium">{label}</label>
      {children}
    </div>
  );
}

const OUTCOME_LOOK: Record<PromptOutcome, string> = { answered: 'text-success', refused: 'text-critical', expired: 'text-warning', cancelled: 'text-muted' };

function DecisionRow({ decision }: { decision: admin.Decision }) {
  const { t, moment } = useI18n();
  const marks = [...(decision.edited ? [t('admin.decisions.changed')] : []), ...(decision.remembered ? [t('admin.decisions.remembered')] : [])];
  return (
    <tr>
      <td className={`${CELL} whitespace-nowrap`}>{moment(decision.at)}</td>
      <td className={`${CELL} min-w-64`}>
        {decision.tool && <span className="block font-mono">{decision.tool}</span>}
        {decision.content ? <span dir="auto"><VisibleText text={decision.content.question} /></span> : <span className="text-muted">{t('admin.private')}</span>}
        {decision.content && <Details content={decision.content} />}
      </td>
      <td className={CELL}>
        <span className={`font-medium ${OUTCOME_LOOK[decision.outcome]}`}>{t(`admin.outcome.${decision.outcome}`)}</span>
        {marks.map((mark) => <span key={mark} className="block text-muted">{mark}</span>)}
      </td>
      <td className={CELL}>{decision.answered_by ?? t('admin.decisions.nobody')}</td>
    </tr>
  );
}

function Details({ content }: { content: admin.DecisionContent }) {
  const { t } = useI18n();
  const parts: [Key, unknown][] = [
    ['admin.decisions.reason', content.reason],
    ['admin.decisions.response', content.response],
    ['admin.decisions.arguments', content.arguments],
    ['admin.decisions.proposed', content.proposed],
  ];
  const known = parts.filter(([, value]) => value !== null && value !== undefined);
  if (known.length === 0) return null;
  return (
    <Disclosure summary={t('admin.decisions.details')}>
      <dl className="space-y-2 py-1">
        {known.map(([key, value]) => (
          <div key={key}>
            <dt className="text-muted">{t(key)}</dt>
            <dd className="max-w-prose font-mono whitespace-pre-wrap"><VisibleText text={typeof value === 'string' ? value : JSON.stringify(value, null, 1)} /></dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}

function Acts() {
  const { t, moment } = useI18n();
  const { rows, refusal, more } = usePages(admin.acts);
  return (
    <Section title={t('admin.acts')} empty={rows?.length === 0 ? t('admin.nothing') : null}>
      <Refused refusal={refusal} />
      {rows !== null && (
        <Table label={t('admin.acts')} limited columns={['admin.decisions.when', 'admin.acts.who', 'admin.acts.what', 'admin.acts.about']}>
          {rows.map((act) => (
            <tr key={act.id}>
              <td className={`${CELL} whitespace-nowrap`}>{moment(act.at)}</td>
              <td className={CELL}>{act.name}</td>
              <td className={CELL}>{isKnown(`admin.act.${act.act}`) ? t(`admin.act.${act.act}` as Key) : act.act}</td>
              <td className={CELL}><VisibleText text={act.subject_name} /></td>
            </tr>
          ))}
        </Table>
      )}
      <More more={more} />
    </Section>
  );
}

/** A later version of the server may know other acts. */
const isKnown = (key: string): boolean => Object.hasOwn(CATALOGUES.en, key);
