/** Labels of fields. A field that is not known here is called by its name. */

import type { I18n, Key } from '.';
import { readableName } from './tools';

const KNOWN: readonly string[] = [
  'title', 'description', 'servings', 'prep_time_minutes', 'cook_time_minutes', 'preparation', 'cooking', 'ingredients', 'steps', 'name',
  'quantity', 'unit', 'notes', 'instruction', 'duration_minutes', 'recipe_id', 'tags',
];

export function fieldLabel(i18n: I18n, name: string): string {
  if (KNOWN.includes(name)) return i18n.t(`field.${name}` as Key);
  const readable = readableName(name);
  return readable.charAt(0).toUpperCase() + readable.slice(1);
}
