/**
 * Recipes as they are edited, outside of the panel: it is drawn anew when a phone is turned, and can be closed and
 * opened again, and nothing that was typed is lost.
 */

import { create } from 'zustand';

import type { Recipe } from './recipe';
import { fieldsOf, type RecipeFields } from './recipe_form';

interface RecipeDraft {
  fields: RecipeFields;
  /** The version that the change is made to. */
  version: string | null;
}

interface Drafts {
  /** By the id of the recipe. */
  edits: Readonly<Record<string, RecipeDraft | undefined>>;
  /** What is imported: the text, and what was found in it. */
  text: string;
  found: { fields: RecipeFields; notUnderstood: readonly string[] } | null;
}

export const useRecipeDrafts = create<Drafts>(() => ({ edits: {}, text: '', found: null }));

export function beginEdit(id: string, recipe: Recipe, version: string | null): void {
  setEdit(id, { fields: fieldsOf(recipe), version });
}

export function changeEdit(id: string, fields: RecipeFields): void {
  const draft = useRecipeDrafts.getState().edits[id];
  if (draft) setEdit(id, { ...draft, fields });
}

export const endEdit = (id: string): void => setEdit(id, undefined);

function setEdit(id: string, draft: RecipeDraft | undefined): void {
  useRecipeDrafts.setState(({ edits }) => ({ edits: { ...edits, [id]: draft } }));
}

export const setImportText = (text: string): void => useRecipeDrafts.setState({ text });

export function setFound(recipe: Recipe, notUnderstood: readonly string[]): void {
  useRecipeDrafts.setState({ found: { fields: fieldsOf(recipe), notUnderstood } });
}

export function changeFound(fields: RecipeFields): void {
  useRecipeDrafts.setState(({ found }) => ({ found: found && { ...found, fields } }));
}

/** Back to the text; once it is saved, that is gone too. */
export function endImport(saved: boolean): void {
  useRecipeDrafts.setState({ found: null, ...(saved ? { text: '' } : {}) });
}
