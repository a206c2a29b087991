/** A record before and after, field by field: what stays is folded, and a value can be edited where it stands. */

import { ChevronRight, Pencil, Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';

import { useI18n } from '../../i18n';
import { fieldLabel } from '../../i18n/fields';
import { isFields } from '../../net/decode';
import type { ToolCall } from '../../protocol/generated';
import { touchesMask } from '../../schema/pointer';
import { kindOf, type Problem, type Schema } from '../../schema/schema';
import { SchemaForm } from '../../schema/SchemaForm';
import { IconButton } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { onEscape } from '../../ui/escape';
import { VisibleText } from '../../ui/VisibleText';
import type { Names } from './names';
import { readableValue, type RecordRow, recordRows } from './record';

/** The arguments behind a preview, and how they are changed. */
export interface PreviewEdit {
  call: ToolCall;
  schema: Schema;
  input: unknown;
  names: Names;
  problems: Record<string, Problem>;
  disabled: boolean;
  /** The field that is edited in the preview. */
  editing: string | null;
  setEditing(field: string | null): void;
  change(input: unknown): void;
}

interface Props {
  before: unknown;
  after: unknown;
  stale: boolean;
  edit: PreviewEdit | undefined;
}

const CELL = 'px-1.5 py-1.5 align-top whitespace-pre-wrap sm:px-3';

export function RecordChange({ before, after, stale, edit }: Props) {
  const { t } = useI18n();
  const [all, setAll] = useState(false);
  const both = before !== undefined && after !== undefined;
  const rows = recordRows(before, after);
  const folded = both ? rows.filter((row) => !row.changed && row.name !== edit?.editing) : [];
  const shown = all ? rows : rows.filter((row) => !folded.includes(row));
  const columns = 1 + Number(before !== undefined) + Number(after !== undefined);
  return (
    <div className="max-h-[min(24rem,38dvh)] overflow-auto rounded-control border border-line" role="group" aria-label={t('preview.record')} tabIndex={0}>
      <table className={classes('w-full table-fixed border-collapse text-small transition-opacity', stale && edit?.editing == null && 'opacity-50')}>
        <thead className="text-start text-muted">
          <tr className="border-b border-line">
            <th scope="col" className={classes(CELL, 'w-[38%] text-start font-medium sm:w-[26%]')}>{t('preview.field')}</th>
            {before !== undefined && (
              <th scope="col" className={classes(CELL, 'text-start font-medium')}>{both ? t('preview.before') : t('preview.goes')}</th>
            )}
            {after !== undefined && (
              <th scope="col" className={classes(CELL, 'text-start font-medium')}>{both ? t('preview.after') : t('preview.comes')}</th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <FieldRow key={row.name} row={row} has={{ before: before !== undefined, after: after !== undefined }} columns={columns} edit={edit} />
          ))}
          {folded.length > 0 && <Unchanged count={folded.length} columns={columns} all={all} toggle={() => setAll(!all)} />}
        </tbody>
      </table>
    </div>
  );
}

function Unchanged({ count: fields, columns, all, toggle }: { count: number; columns: number; all: boolean; toggle(): void }) {
  const { t, count } = useI18n();
  return (
    <tr>
      <td colSpan={columns} className="px-1.5 py-0.5">
        <button
          type="button"
          aria-expanded={all}
          onClick={toggle}
          className="inline-flex items-center gap-1.5 rounded-control px-1.5 py-1 text-muted hover:bg-raised hover:text-ink pointer-coarse:min-h-11"
        >
          <ChevronRight size={14} aria-hidden="true" className={classes('shrink-0', all && 'rotate-90')} />
          {all ? t('preview.fold') : count('preview.unchanged', fields)}
        </button>
      </td>
    </tr>
  );
}

interface RowProps {
  row: RecordRow;
  has: { before: boolean; after: boolean };
  columns: number;
  edit: PreviewEdit | undefined;
}

function FieldRow({ row, has, columns, edit }: RowProps) {
  const i18n = useI18n();
  const { t } = i18n;
  const both = has.before && has.after;
  const label = fieldLabel(i18n, row.name);
  const field = edit && has.after ? editableField(row, edit) : null;
  const editing = field !== null && edit?.editing === row.name;
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    edit?.setEditing(null);
    button.current?.focus();
  };
  return (
    <>
      <tr className={editing ? undefined : 'border-b border-line last:border-0'}>
        <th scope="row" className={classes(CELL, 'text-start font-medium [overflow-wrap:break-word]')}>
          {label}
          {both && row.changed && <span className="block text-warning">{t('preview.changed')}</span>}
          {edit && field && (
            <IconButton
              ref={button}
              label={t(editing ? 'preview.edit_end' : 'preview.edit', { field: label })}
              aria-expanded={editing}
              disabled={edit.disabled}
              className="-ms-2 mt-0.5 flex size-8 items-center justify-center"
              onClick={() => toggle(row, edit, editing)}
            >
              {editing ? <Undo2 size={14} aria-hidden="true" /> : <Pencil size={14} aria-hidden="true" />}
            </IconButton>
          )}
        </th>
        {has.before && (
          <td className={classes(CELL, row.changed && 'bg-critical/10', both && row.changed && 'line-through decoration-critical/60')}>
            <VisibleText text={readableValue(row.before)} />
          </td>
        )}
        {has.after && (
          <td className={classes(CELL, row.changed && 'bg-success/10')}>
            <VisibleText text={readableValue(row.after)} />
          </td>
        )}
      </tr>
      {editing && edit && (
        <tr className="border-b border-line last:border-0">
          <td colSpan={columns} className="px-2.5 pb-3 sm:px-3" onKeyDown={onEscape(close)}>
            <SchemaForm
              schema={{ type: 'object', properties: { [row.name]: field }, required: edit.schema.required ?? [] }}
              value={edit.input}
              names={edit.names}
              masked={edit.call.masked ?? []}
              problems={edit.problems}
              disabled={edit.disabled}
              change={edit.change}
            />
          </td>
        </tr>
      )}
    </>
  );
}

/** The schema of the argument that a field of the record shows; null if it cannot be edited here. */
function editableField(row: RecordRow, { call, schema, input }: PreviewEdit): Schema | null {
  const field = schema.properties?.[row.name];
  if (field === undefined || touchesMask(call.masked ?? [], `/${row.name}`)) return null;
  if (isFields(input) && input[row.name] !== undefined) return field;
  // A field that the call leaves alone begins with the value that it has. Not a text: parts of it may be masked.
  const begins = typeof row.after === 'number' || typeof row.after === 'boolean';
  return begins && kindOf(field) === typeof row.after ? field : null;
}

/** Opens the field, or ends the editing and takes the change back. */
function toggle(row: RecordRow, { call, input, editing, setEditing, change }: PreviewEdit, open: boolean): void {
  const fields = isFields(input) ? input : {};
  if (!open) {
    if (fields[row.name] === undefined) change({ ...fields, [row.name]: row.after });
    if (editing !== row.name) setEditing(row.name);
    return;
  }
  const { [row.name]: _edited, ...others } = fields;
  const proposed = isFields(call.input) ? call.input : {};
  change(row.name in proposed ? { ...fields, [row.name]: proposed[row.name] } : others);
  setEditing(null);
}
