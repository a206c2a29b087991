/** Titles for the ids among the arguments, taken from the preview. Pure. */

import { isFields } from '../../net/decode';
import type { Preview } from '../../protocol/generated';

export type Names = ReadonlyMap<string, string>;

export function namesIn(preview: Preview | undefined, input: unknown): Names {
  const names = new Map<string, string>();
  if (preview?.kind !== 'record') return names;
  // The record as it is now: the new title does not apply yet.
  const record = isFields(preview.old) ? preview.old : preview.new;
  if (!isFields(record)) return names;
  const name = record['title'] ?? record['name'];
  const id = record['id'] ?? theOnlyId(input);
  if (typeof name === 'string' && name !== '' && typeof id === 'string') names.set(id, name);
  return names;
}

/** The id among the arguments, if there is exactly one: then it is the record's. */
function theOnlyId(input: unknown): unknown {
  if (!isFields(input)) return undefined;
  const ids = Object.entries(input).filter(([name]) => name === 'id' || name.endsWith('_id'));
  return ids.length === 1 ? ids[0]?.[1] : undefined;
}
