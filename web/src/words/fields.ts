/** What fields are called. A field that is not known here is called by its name. */

import type { Key, Words } from '.';
import { readableName } from './tools';

const KNOWN: readonly string[] = [
  'title', 'description', 'servings', 'prep_time_minutes', 'cook_time_minutes', 'preparation', 'cooking', 'ingredients', 'steps', 'name',
  'quantity', 'unit', 'notes', 'instruction', 'duration_minutes', 'recipe_id', 'tags',
];

export function fieldLabel(words: Words, name: string): string {
  if (KNOWN.includes(name)) return words.t(`field.${name}` as Key);
  const readable = readableName(name);
  return readable.charAt(0).toUpperCase() + readable.slice(1);
}
