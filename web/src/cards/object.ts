/** What a call is about, by its name: from the preview, or from the arguments of tools that are known here. Pure. */

import { plainName } from '../i18n/tools';
import { isFields } from '../net/decode';
import type { Preview, ToolCall } from '../protocol/generated';

const LONGEST = 60;

/** The arguments that name the object of a call, for tools without a preview. */
const NAMING: Record<string, readonly string[] | undefined> = {
  create_recipe: ['title'],
  change_file: ['path', 'file_path'],
  edit: ['path', 'file_path'],
};

/** The name of the one thing that a call is about; null if it is not known, or if there are several. */
export function objectOf(call: ToolCall, preview: Preview | undefined): string | null {
  return previewed(preview) ?? argument(call);
}

function previewed(preview: Preview | undefined): string | null {
  if (preview?.kind === 'list') return preview.items.length === 1 && preview.count === 1 ? named(preview.items[0]) : null;
  if (preview?.kind !== 'record') return null;
  // The record as it is now: the new name does not apply yet.
  const record = isFields(preview.old) ? preview.old : preview.new;
  return isFields(record) ? named(record['title'] ?? record['name']) : null;
}

function argument({ name, input }: ToolCall): string | null {
  if (!isFields(input)) return null;
  const field = NAMING[plainName(name)]?.find((one) => typeof input[one] === 'string');
  return field === undefined ? null : named(input[field]);
}

/** A name on one line; the beginning of one that is too long. */
function named(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const letters = [...value.replace(/\s+/g, ' ').trim()];
  if (letters.length === 0) return null;
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : letters.join('');
}
