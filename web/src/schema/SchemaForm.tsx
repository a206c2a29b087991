/** A form made from a JSON Schema. Masked parts are shown as such and cannot be changed (S-5). */

import { Lock, Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';

import { useI18n } from '../i18n';
import { fieldLabel } from '../i18n/fields';
import { Button, IconButton } from '../ui/Button';
import { JsonField } from './JsonField';
import { child, touchesMask, valueAt, withValueAt } from './pointer';
import { beginning, choicesOf, kindOf, type Problem, type Schema, typeOf } from './schema';

interface FormProps {
  schema: Schema;
  value: unknown;
  /** Titles for values that are ids. */
  names?: ReadonlyMap<string, string>;
  masked?: readonly string[];
  problems?: Record<string, Problem>;
  disabled?: boolean;
  change(value: unknown): void;
}

export function SchemaForm({ schema, value, names, masked = [], problems = {}, disabled = false, change }: FormProps) {
  const form: Form = { root: value, names, masked, problems, disabled, change };
  return <Field form={form} schema={schema} pointer="" name={null} required />;
}

interface Form {
  root: unknown;
  names: ReadonlyMap<string, string> | undefined;
  masked: readonly string[];
  problems: Record<string, Problem>;
  disabled: boolean;
  change(value: unknown): void;
}

interface FieldProps {
  form: Form;
  schema: Schema;
  pointer: string;
  name: string | null;
  required: boolean;
}

function Field(props: FieldProps) {
  const { form, schema, pointer } = props;
  if (form.masked.includes(pointer)) return <MaskedField {...props} />;
  switch (kindOf(schema)) {
    case 'object':
      return <ObjectField {...props} />;
    case 'array':
      return <ArrayField {...props} />;
    default:
      return <LeafField {...props} />;
  }
}

function ObjectField({ form, schema, pointer, name }: FieldProps) {
  const i18n = useI18n();
  const fields = Object.entries(schema.properties ?? {}).map(([key, one]) => (
    <Field
      key={key}
      form={form}
      schema={one}
      pointer={child(pointer, key)}
      name={key}
      required={schema.required?.includes(key) ?? false}
    />
  ));
  if (name === null) return <div className="space-y-3">{fields}</div>;
  return (
    <fieldset className="space-y-3 rounded-control border border-line p-3">
      <legend className="px-1 text-small font-medium">{schema.title ?? fieldLabel(i18n, name)}</legend>
      {fields}
    </fieldset>
  );
}

function ArrayField({ form, schema, pointer, name }: FieldProps) {
  const i18n = useI18n();
  const list = valueAt(form.root, pointer);
  const items = Array.isArray(list) ? (list as unknown[]) : [];
  // Removing an item would change the pointers of masked values.
  const fixed = form.disabled || touchesMask(form.masked, pointer);
  const set = (fresh: unknown[]) => form.change(withValueAt(form.root, pointer, fresh));
  const label = schema.title ?? fieldLabel(i18n, name ?? '');
  return (
    <fieldset className="space-y-2">
      <legend className="text-small font-medium">{label}</legend>
      {items.map((_, at) => (
        <div key={at} className="flex items-start gap-1">
          <div className="min-w-0 grow">
            <Field form={form} schema={schema.items ?? {}} pointer={child(pointer, at)} name={String(at + 1)} required />
          </div>
          {!fixed && (
            <IconButton
              label={i18n.t('form.remove', { what: `${label} ${at + 1}` })}
              onClick={() => set(items.filter((_one, index) => index !== at))}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          )}
        </div>
      ))}
      {!fixed && (
        <Button
          look="quiet"
          icon={<Plus size={15} aria-hidden="true" />}
          onClick={() => set([...items, beginning(schema.items ?? {}) ?? ''])}
        >
          {i18n.t('form.add')}
        </Button>
      )}
    </fieldset>
  );
}

function LeafField({ form, schema, pointer, name, required }: FieldProps) {
  const i18n = useI18n();
  const id = useId();
  const value = valueAt(form.root, pointer);
  const problem = form.problems[pointer];
  const set = (fresh: unknown) => form.change(withValueAt(form.root, pointer, fresh));
  const label = schema.title ?? (name === null ? i18n.t('form.value') : fieldLabel(i18n, name));
  const common = {
    id,
    disabled: form.disabled,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-note`,
    'aria-required': required,
  };
  if (kindOf(schema) === 'boolean') {
    return (
      <div>
        <label className="flex items-center gap-2.5 py-1">
          <input type="checkbox" className="size-4 accent-(--accent)" checked={value === true} onChange={(event) => set(event.target.checked)} {...common} />
          <span>{label}</span>
        </label>
        <Note id={`${id}-note`} schema={schema} problem={problem} />
      </div>
    );
  }
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-small font-medium">
        {label}
        {!required && <span className="ms-1.5 font-normal text-muted">{i18n.t('form.optional')}</span>}
      </label>
      <Control schema={schema} value={value} set={set} required={required} common={common} />
      <Note id={`${id}-note`} schema={schema} problem={problem} name={typeof value === 'string' ? form.names?.get(value) : undefined} />
    </div>
  );
}

interface ControlProps {
  schema: Schema;
  value: unknown;
  set(value: unknown): void;
  required: boolean;
  common: Record<string, unknown> & { id: string };
}

function Control({ schema, value, set, required, common }: ControlProps) {
  const { t } = useI18n();
  const kind = kindOf(schema);
  if (kind === 'choice') {
    const choices = choicesOf(schema);
    const at = choices.findIndex((choice) => choice.value === value);
    return (
      <select className="field" value={at} onChange={(event) => set(choices[Number(event.target.value)]?.value)} {...common}>
        {at < 0 && <option value={-1}>{t('form.choose')}</option>}
        {choices.map((choice, index) => (
          <option key={index} value={index}>
            {choice.label}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'json') return <JsonField value={value} change={set} common={common} />;
  if (kind === 'number') {
    const step = typeOf(schema) === 'integer' ? 1 : 'any';
    return (
      <input
        type="number"
        inputMode="decimal"
        step={step}
        min={schema.minimum}
        max={schema.maximum}
        className="field tabular"
        value={typeof value === 'number' && !Number.isNaN(value) ? value : ''}
        onChange={(event) => set(event.target.value === '' ? undefined : event.target.valueAsNumber)}
        {...common}
      />
    );
  }
  const text = typeof value === 'string' ? value : '';
  // An optional text that must not be empty is left out when it is empty.
  const leavesOut = !required && (schema.minLength ?? 0) > 0;
  const onChange = ({ target }: { target: { value: string } }) => set(target.value === '' && leavesOut ? undefined : target.value);
  if (text.length > 80 || text.includes('\n')) {
    return <textarea dir="auto" className="field field-sizing-content max-h-60 min-h-20" value={text} onChange={onChange} {...common} />;
  }
  return <input type={INPUT_TYPES[schema.format ?? ''] ?? 'text'} dir="auto" className="field" value={text} onChange={onChange} autoComplete="off" {...common} />;
}

const INPUT_TYPES: Record<string, string> = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text', time: 'time' };

interface NoteProps {
  id: string;
  schema: Schema;
  problem: Problem | undefined;
  /** The title of the value, if it is an id. */
  name?: string;
}

function Note({ id, schema, problem, name }: NoteProps) {
  const { t } = useI18n();
  return (
    <p id={id} className={problem ? 'text-small font-medium text-critical' : 'text-small text-muted'}>
      {problem ? t(`form.problem.${problem}`) : name ? <span className="font-medium text-ink">{name}</span> : schema.description}
    </p>
  );
}

function MaskedField({ form, schema, pointer, name }: FieldProps) {
  const i18n = useI18n();
  const value = valueAt(form.root, pointer);
  return (
    <div className="space-y-1">
      <p className="text-small font-medium">{schema.title ?? fieldLabel(i18n, name ?? '')}</p>
      <p className="flex items-center gap-2 rounded-control border border-dashed border-(--edge) bg-raised px-3 py-2 font-mono text-small">
        <Lock size={14} aria-hidden="true" className="shrink-0 text-muted" />
        {typeof value === 'string' ? value : JSON.stringify(value)}
      </p>
      <p className="text-small text-muted">{i18n.t('form.masked')}</p>
    </div>
  );
}
