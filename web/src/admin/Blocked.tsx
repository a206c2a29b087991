/** What the guardrail refused, or noticed and let pass. */

import { useI18n } from '../i18n';
import * as admin from '../net/admin';
import { VisibleText } from '../ui/VisibleText';
import { More } from './More';
import { usePages } from './reading';
import { Refused } from './Refused';
import { Section } from './Section';
import { CELL, Table } from './Table';

export function Blocked() {
  const { t, moment } = useI18n();
  const { rows, refusal, more } = usePages(admin.blockedInputs);
  return (
    <Section title={t('admin.blocked')} empty={rows?.length === 0 ? t('admin.nothing') : null}>
      <Refused refusal={refusal} />
      {rows !== null && (
        <Table label={t('admin.blocked')} columns={['admin.when', 'admin.project', 'admin.rule', 'admin.excerpt']}>
          {rows.map((input) => (
            <tr key={input.id}>
              <td className={`${CELL} whitespace-nowrap`}>{moment(input.at)}</td>
              <td className={CELL}>{input.project}</td>
              <td className={CELL}>
                <span className="font-mono">{input.rule}</span>
                {input.action !== 'block' && <span className="block text-muted">{t('admin.only_noted')}</span>}
              </td>
              <td className={CELL}>
                {input.excerpt === '' ? <span className="text-muted">{t('admin.private')}</span> : <VisibleText text={input.excerpt} />}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More more={more} />
    </Section>
  );
}
