/** A recipe as it is edited: texts in fields. Back to a recipe with what is wrong. Pure. */

import type { RecipeInput } from '../../net/api';
import type { Recipe } from './recipe';

export interface IngredientFields {
  quantity: string;
  unit: string;
  name: string;
  notes: string;
}

export interface StepFields {
  instruction: string;
  minutes: string;
}

export interface RecipeFields {
  title: string;
  description: string;
  servings: string;
  prep: string;
  cook: string;
  ingredients: IngredientFields[];
  steps: StepFields[];
}

/** What keeps a recipe from being saved: the title is missing, or a field is no whole number. */
export type FormProblem = { problem: 'title' } | { problem: 'number'; field: 'servings' | 'prep' | 'cook' | 'minutes'; at?: number };

export const NO_INGREDIENT: IngredientFields = { quantity: '', unit: '', name: '', notes: '' };
export const NO_STEP: StepFields = { instruction: '', minutes: '' };

export function fieldsOf(recipe: Recipe): RecipeFields {
  return {
    title: recipe.title,
    description: recipe.description ?? '',
    servings: written(recipe.servings),
    prep: written(recipe.prepMinutes),
    cook: written(recipe.cookMinutes),
    ingredients: recipe.ingredients.map(({ name, quantity, unit, notes }) => ({
      quantity: typeof quantity === 'number' || typeof quantity === 'string' ? String(quantity) : '',
      unit: unit ?? '',
      name,
      notes: notes ?? '',
    })),
    steps: recipe.steps.map(({ instruction, minutes }) => ({ instruction, minutes: written(minutes) })),
  };
}

const written = (value: number | null) => (value === null ? '' : String(value));

/** The recipe to send, or the first thing that is wrong. Lines without a name or an instruction are left out. */
export function recipeIn(fields: RecipeFields): RecipeInput | FormProblem {
  const title = fields.title.trim();
  if (title === '') return { problem: 'title' };
  const [servings, prep, cook] = [whole(fields.servings), whole(fields.prep), whole(fields.cook)];
  if (servings === null) return { problem: 'number', field: 'servings' };
  if (prep === null) return { problem: 'number', field: 'prep' };
  if (cook === null) return { problem: 'number', field: 'cook' };
  const wrong = fields.steps.findIndex((step) => whole(step.minutes) === null);
  if (wrong >= 0) return { problem: 'number', field: 'minutes', at: wrong };
  return {
    title,
    ...text('description', fields.description),
    ...number('servings', servings),
    ...number('prep_time_minutes', prep),
    ...number('cook_time_minutes', cook),
    ingredients: fields.ingredients
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, quantity, unit, notes }) => ({ name: name.trim(), ...text('quantity', quantity), ...text('unit', unit), ...text('notes', notes) })),
    steps: fields.steps
      .filter(({ instruction }) => instruction.trim() !== '')
      .map(({ instruction, minutes }) => ({ instruction: instruction.trim(), ...number('duration_minutes', whole(minutes) ?? undefined) })),
  };
}

/** Undefined for a blank field, null for what is no whole number. */
function whole(value: string): number | null | undefined {
  const digits = value.trim();
  if (digits === '') return undefined;
  return /^\d{1,6}$/.test(digits) ? Number(digits) : null;
}

const text = <Name extends string>(name: Name, value: string) =>
  (value.trim() === '' ? {} : { [name]: value.trim() }) as { [key in Name]?: string };
const number = <Name extends string>(name: Name, value: number | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: number };
