/** P-7: what the call would change. */

import { useI18n } from '../../i18n';
import type { Preview } from '../../protocol/generated';
import { classes } from '../../ui/classes';
import { VisibleText } from '../../ui/VisibleText';
import { diffLines, hunks } from './lines';
import { type PreviewEdit, RecordChange } from './RecordChange';

interface Props {
  preview: Preview;
  /** Whether it is of older arguments. */
  stale?: boolean;
  /** Where values can be edited. */
  edit?: PreviewEdit;
}

export function PreviewOf({ preview, stale = false, edit }: Props) {
  if (preview.kind === 'record') return <RecordChange before={preview.old} after={preview.new} stale={stale} edit={edit} />;
  return (
    <div className={classes('transition-opacity', stale && 'opacity-50')}>
      <Unedited preview={preview} />
    </div>
  );
}

function Unedited({ preview }: { preview: Preview }) {
  switch (preview.kind) {
    case 'diff':
      return <Diff before={preview.old} after={preview.new} />;
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
