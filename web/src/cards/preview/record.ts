/** A record before and after: which fields change. Pure. */

import { isFields } from '../../net/decode';

export interface RecordRow {
  name: string;
  before: unknown;
  after: unknown;
  changed: boolean;
}

export function recordRows(before: unknown, after: unknown): RecordRow[] {
  const old = isFields(before) ? before : before === undefined ? {} : { value: before };
  const fresh = isFields(after) ? after : after === undefined ? {} : { value: after };
  const names = [...new Set([...Object.keys(fresh), ...Object.keys(old)])];
  return names.map((name) => ({
    name,
    before: old[name],
    after: fresh[name],
    changed: !sameValue(old[name], fresh[name]),
  }));
}

function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A value as text: lists as lines, objects as their values. */
export function readableValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((one) => readableValue(one)).join('\n');
  if (isFields(value)) {
    return Object.values(value).filter((one) => one !== null && one !== undefined && one !== '').map(readableValue).join(' ');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
