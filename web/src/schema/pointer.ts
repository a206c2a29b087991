/** JSON pointers: reading and changing the value at a pointer. Pure. */

import { isFields } from '../net/decode';

export const child = (pointer: string, name: string | number) =>
  `${pointer}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;

export const partsOf = (pointer: string) =>
  pointer.split('/').slice(1).map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));

export function valueAt(value: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce<unknown>((inside, part) => {
    if (Array.isArray(inside)) return inside[Number(part)] as unknown;
    return isFields(inside) ? inside[part] : undefined;
  }, value);
}

/** A copy with another value at the pointer; `undefined` removes the field. */
export function withValueAt(value: unknown, pointer: string, fresh: unknown): unknown {
  const [first, ...rest] = partsOf(pointer);
  if (first === undefined) return fresh;
  const below = rest.map((part) => child('', part)).join('');
  if (Array.isArray(value)) {
    const index = Number(first);
    return value.map((one, at) => (at === index ? withValueAt(one, below, fresh) : (one as unknown)));
  }
  const fields = isFields(value) ? value : {};
  const inside = withValueAt(fields[first], below, fresh);
  if (inside === undefined) {
    const { [first]: _gone, ...others } = fields;
    return others;
  }
  return { ...fields, [first]: inside };
}

/** Whether a pointer is masked or contains a masked one. */
export function touchesMask(masked: readonly string[], pointer: string): boolean {
  return masked.some((mask) => mask === pointer || mask.startsWith(`${pointer}/`));
}
