/** P-7: what the call would change. */

import { useI18n } from '../../i18n';
import { fieldLabel } from '../../i18n/fields';
import type { Preview } from '../../protocol/generated';
import { classes } from '../../ui/classes';
import { VisibleText } from '../../ui/VisibleText';
import { diffLines, hunks } from './lines';
import { readableValue, recordRows } from './record';

export function PreviewOf({ preview }: { preview: Preview }) {
  switch (preview.kind) {
    case 'diff':
      return <Diff before={preview.old} after={preview.new} />;
    case 'record':
      return <RecordChange before={preview.old} after={preview.new} />;
    case 'list':
      return <ItemList items={preview.items ?? []} count={preview.count ?? preview.items?.length ?? 0} />;
    default:
      return null;
  }
}

const MARKS = { same: ' ', old: '−', new: '+' };
const TINTS = { same: '', old: 'bg-critical/10', new: 'bg-success/10' };

function Diff({ before, after }: { before: string | undefined; after: string | undefined }) {
  const { t, count } = useI18n();
  const lines = hunks(diffLines(before, after));
  return (
    <div
      className="max-h-[min(20rem,38dvh)] overflow-auto rounded-control border border-line font-mono text-small"
      role="group"
      aria-label={t('preview.diff')}
      tabIndex={0}
    >
      <table className="w-full border-collapse">
        <tbody>
          {lines.map((line, index) =>
            'skipped' in line ? (
              <tr key={index}>
                <td colSpan={3} className="bg-raised px-3 py-0.5 text-muted">
                  {count('preview.skipped', line.skipped)}
                </td>
              </tr>
            ) : (
              <tr key={index} className={TINTS[line.kind]}>
                <td className="w-px ps-3 pe-2 text-end text-muted select-none tabular">{line.oldNumber}</td>
                <td className="w-px pe-3 text-end text-muted select-none tabular">{line.newNumber}</td>
                <td className="whitespace-pre-wrap pe-3">
                  <span className="me-2 select-none" aria-label={line.kind === 'same' ? undefined : t(`preview.${line.kind}`)}>
                    {MARKS[line.kind]}
                  </span>
                  <VisibleText text={line.text} />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function RecordChange({ before, after }: { before: unknown; after: unknown }) {
  const i18n = useI18n();
  const { t } = i18n;
  const both = before !== undefined && after !== undefined;
  const rows = recordRows(before, after);
  const cell = 'px-2.5 py-1.5 align-top whitespace-pre-wrap sm:px-3';
  return (
    <div className="max-h-[min(24rem,38dvh)] overflow-auto rounded-control border border-line" role="group" aria-label={t('preview.record')} tabIndex={0}>
      <table className="w-full border-collapse text-small">
        <thead className="text-start text-muted">
          <tr className="border-b border-line">
            <th scope="col" className={classes(cell, 'text-start font-medium')}>{t('preview.field')}</th>
            {before !== undefined && (
              <th scope="col" className={classes(cell, 'text-start font-medium')}>{both ? t('preview.before') : t('preview.goes')}</th>
            )}
            {after !== undefined && (
              <th scope="col" className={classes(cell, 'text-start font-medium')}>{both ? t('preview.after') : t('preview.comes')}</th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="border-b border-line last:border-0">
              <th scope="row" className={classes(cell, 'text-start font-medium [overflow-wrap:break-word] sm:w-[26%]')}>
                {fieldLabel(i18n, row.name)}
                {both && row.changed && <span className="block text-warning">{t('preview.changed')}</span>}
              </th>
              {before !== undefined && (
                <td className={classes(cell, row.changed && 'bg-critical/10', both && row.changed && 'line-through decoration-critical/60')}>
                  <VisibleText text={readableValue(row.before)} />
                </td>
              )}
              {after !== undefined && (
                <td className={classes(cell, row.changed && 'bg-success/10')}>
                  <VisibleText text={readableValue(row.after)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ItemList({ items, count }: { items: readonly string[]; count: number }) {
  const i18n = useI18n();
  const more = count - items.length;
  return (
    <div className="rounded-control border border-line">
      <p className="border-b border-line px-3 py-1.5 text-small font-medium">{i18n.count('preview.items', count)}</p>
      <ul className="max-h-60 list-disc overflow-auto py-1.5 ps-8 pe-3" tabIndex={0} aria-label={i18n.count('preview.items', count)}>
        {items.map((item, index) => (
          <li key={index}>
            <VisibleText text={item} />
          </li>
        ))}
        {more > 0 && <li className="list-none text-muted">{i18n.count('preview.more', more)}</li>}
      </ul>
    </div>
  );
}
