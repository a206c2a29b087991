/** The part of JSON Schema that forms need: kind of field, validation, initial value. Pure. */

import { isFields } from '../net/decode';

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  enumNames?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  pattern?: string;
}

export type FieldKind = 'object' | 'array' | 'choice' | 'boolean' | 'number' | 'text' | 'json';

export function asSchema(value: unknown): Schema {
  return isFields(value) ? value : {};
}

export function typeOf(schema: Schema): string | null {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  return types.find((type) => type !== 'null') ?? null;
}

export function kindOf(schema: Schema): FieldKind {
  if (choicesOf(schema).length > 0) return 'choice';
  switch (typeOf(schema)) {
    case 'object':
      return schema.properties ? 'object' : 'json';
    case 'array':
      return schema.items ? 'array' : 'json';
    case 'boolean':
      return 'boolean';
    case 'number':
    case 'integer':
      return 'number';
    case 'string':
      return 'text';
    default:
      return schema.properties ? 'object' : 'json';
  }
}

export interface SchemaChoice {
  value: unknown;
  label: string;
}

/** The choices: `enum` with its names, or `oneOf`/`anyOf` of constants. */
export function choicesOf(schema: Schema): SchemaChoice[] {
  if (schema.enum) {
    return schema.enum.map((value, index) => ({ value, label: schema.enumNames?.[index] ?? String(value) }));
  }
  const either = schema.oneOf ?? schema.anyOf ?? [];
  if (either.length === 0 || either.some((one) => one.const === undefined)) return [];
  return either.map((one) => ({ value: one.const, label: one.title ?? String(one.const) }));
}

/** A schema inferred from a value. */
export function schemaOf(value: unknown): Schema {
  if (Array.isArray(value)) return value.length > 0 ? { type: 'array', items: schemaOf(value[0]) } : {};
  if (isFields(value)) {
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schemaOf(one)])),
    };
  }
  switch (typeof value) {
    case 'string':
      return { type: 'string' };
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    default:
      return {};
  }
}

/** The initial value of a field. */
export function beginning(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  switch (kindOf(schema)) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, beginning(one)] as const);
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }
    case 'array':
      return [];
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

export type Problem = 'missing' | 'too_short' | 'too_long' | 'too_small' | 'too_large' | 'pattern' | 'number' | 'digits';

/** The validation errors, by pointer. The server validates again; this only saves a round trip. */
export function problemsIn(schema: Schema, value: unknown, pointer = '', required = true): Record<string, Problem> {
  const kind = kindOf(schema);
  const blank = value === undefined || value === null || value === '';
  if (blank) return required && kind !== 'object' && kind !== 'json' ? { [pointer]: 'missing' } : {};
  if (kind === 'object') {
    const fields = isFields(value) ? value : {};
    return Object.assign(
      {},
      ...Object.entries(schema.properties ?? {}).map(([name, one]) =>
        problemsIn(one, fields[name], `${pointer}/${name}`, schema.required?.includes(name) ?? false),
      ),
    ) as Record<string, Problem>;
  }
  if (kind === 'array' && Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) return { [pointer]: 'missing' };
    return Object.assign(
      {},
      ...value.map((one, at) => problemsIn(schema.items ?? {}, one, `${pointer}/${at}`)),
    ) as Record<string, Problem>;
  }
  const problem = problemWith(schema, kind, value);
  return problem ? { [pointer]: problem } : {};
}

function problemWith(schema: Schema, kind: FieldKind, value: unknown): Problem | null {
  if (kind === 'number') {
    if (typeof value !== 'number' || Number.isNaN(value)) return 'number';
    if (typeOf(schema) === 'integer' && !Number.isInteger(value)) return 'number';
    if (typeOf(schema) === 'integer' && !Number.isSafeInteger(value)) return 'digits';
    if (value < (schema.minimum ?? -Infinity)) return 'too_small';
    return value > (schema.maximum ?? Infinity) ? 'too_large' : null;
  }
  if (kind !== 'text' || typeof value !== 'string') return null;
  const length = [...value].length;
  if (length < (schema.minLength ?? 0)) return 'too_short';
  if (length > (schema.maxLength ?? Infinity)) return 'too_long';
  return schema.pattern !== undefined && !fits(schema.pattern, value) ? 'pattern' : null;
}

function fits(pattern: string, value: string): boolean {
  // A pattern comes from a tool server and may backtrack without end: long values are left to the server.
  if (value.length > 200) return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
