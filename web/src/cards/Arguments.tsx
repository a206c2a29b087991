/** The arguments of a call: readable, editable as a form, and as JSON for experts. */

import { Lock, Pencil } from 'lucide-react';
import { useState } from 'react';

import { useI18n } from '../i18n';
import { fieldLabel } from '../i18n/fields';
import { isFields } from '../net/decode';
import type { ToolCall } from '../protocol/generated';
import { JsonField } from '../schema/JsonField';
import { valueAt } from '../schema/pointer';
import { asSchema, kindOf, type Problem, schemaOf } from '../schema/schema';
import { SchemaForm } from '../schema/SchemaForm';
import { Button } from '../ui/Button';
import { classes } from '../ui/classes';
import { Disclosure } from '../ui/Disclosure';
import { VisibleText } from '../ui/VisibleText';
import type { Names } from './preview/names';
import { readableValue } from './preview/record';

interface Props {
  call: ToolCall;
  schema: unknown;
  /** The arguments as edited. */
  input: unknown;
  /** Titles for ids among them. */
  names?: Names;
  problems: Record<string, Problem>;
  disabled: boolean;
  startsOpen?: boolean;
  change?(input: unknown): void;
}

const NO_NAMES: Names = new Map();

export function Arguments({ call, schema, input, names = NO_NAMES, problems, disabled, startsOpen = false, change }: Props) {
  const { t } = useI18n();
  const [editing, setEditing] = useState(false);
  return (
    <Disclosure summary={t('approval.arguments')} startsOpen={startsOpen}>
      <div className="mt-2 space-y-3 rounded-control border border-line p-3.5">
        <p className="text-small text-muted">
          {t('approval.tool')} <code className="font-mono">{call.name}</code>
        </p>
        {editing && change ? (
          <Editor call={call} schema={schema} input={input} names={names} problems={problems} disabled={disabled} change={change} />
        ) : (
          <ReadOnly input={input} names={names} masked={call.masked ?? []} />
        )}
        {change && (
          <Button
            look="quiet"
            className="-ms-3"
            disabled={disabled}
            icon={<Pencil size={14} aria-hidden="true" />}
            onClick={() => {
              if (editing) change(call.input);
              setEditing(!editing);
            }}
          >
            {editing ? t('approval.discard_changes') : t('approval.change')}
          </Button>
        )}
      </div>
    </Disclosure>
  );
}

function ReadOnly({ input, names, masked }: { input: unknown; names: Names; masked: readonly string[] }) {
  const i18n = useI18n();
  const fields = isFields(input) ? Object.entries(input) : [];
  if (fields.length === 0) return <p className="text-muted">{i18n.t('approval.no_arguments')}</p>;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-small">
      {fields.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{fieldLabel(i18n, name)}</dt>
          <dd className="min-w-0 whitespace-pre-wrap">
            <Named value={value} names={names} />
            {masked.some((mask) => mask === `/${name}` || mask.startsWith(`/${name}/`)) && (
              <span className="ms-2 inline-flex items-center gap-1 text-muted">
                <Lock size={12} aria-hidden="true" />
                {i18n.t('form.masked')}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value as text; an id with its title, if that is known. */
function Named({ value, names }: { value: unknown; names: Names }) {
  const name = typeof value === 'string' ? names.get(value) : undefined;
  if (name === undefined) return <VisibleText text={readableValue(value)} />;
  return (
    <>
      <VisibleText text={name} /> <span className="font-mono break-all text-muted">{String(value)}</span>
    </>
  );
}

type EditorProps = Required<Pick<Props, 'call' | 'input' | 'names' | 'problems' | 'disabled' | 'change'>> & { schema: unknown };

function Editor({ call, schema, input, names, problems, disabled, change }: EditorProps) {
  const { t } = useI18n();
  const [view, setView] = useState<'form' | 'json'>('form');
  const [maskBroken, setMaskBroken] = useState(false);
  const given = asSchema(schema);
  const shape = kindOf(given) === 'object' ? given : schemaOf(call.input);
  const masked = call.masked ?? [];
  const changeJson = (fresh: unknown) => {
    const kept = masked.every((mask) => JSON.stringify(valueAt(fresh, mask)) === JSON.stringify(valueAt(call.input, mask)));
    setMaskBroken(!kept);
    if (kept) change(fresh);
  };
  return (
    <div className="space-y-3">
      <div role="group" aria-label={t('approval.edit_as')} className="inline-flex rounded-control bg-raised p-0.5 text-small">
        {(['form', 'json'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={view === one}
            onClick={() => setView(one)}
            className={classes('rounded-[6px] px-3 py-1', view === one ? 'bg-surface font-medium' : 'text-muted')}
          >
            {t(`approval.edit_as_${one}`)}
          </button>
        ))}
      </div>
      {view === 'form' ? (
        <SchemaForm schema={shape} value={input} names={names} masked={masked} problems={problems} disabled={disabled} change={change} />
      ) : (
        <JsonField value={input} change={changeJson} rows={10} label={t('approval.arguments')} common={{ disabled }} />
      )}
      {maskBroken && <p role="alert" className="text-small font-medium text-critical">{t('approval.mask_broken')}</p>}
    </div>
  );
}
