/** A recipe off the wire, validated: what is missing or malformed is left out. Pure. */

import { isFields } from '../../net/decode';

export interface Ingredient {
  name: string;
  quantity: unknown;
  unit: string | null;
  notes: string | null;
}

export interface Step {
  instruction: string;
  minutes: number | null;
}

export interface Recipe {
  id: string;
  title: string;
  description: string | null;
  servings: number | null;
  prepMinutes: number | null;
  cookMinutes: number | null;
  ingredients: Ingredient[];
  steps: Step[];
}

export function asRecipe(value: unknown): Recipe | null {
  const outer = isFields(value) ? value : {};
  const recipe = isFields(outer['recipe']) ? outer['recipe'] : outer;
  const title = text(recipe['title']);
  if (title === null) return null;
  return {
    id: text(recipe['id']) ?? '',
    title,
    description: text(recipe['description']),
    servings: positive(recipe['servings']),
    prepMinutes: positive(recipe['prep_time_minutes']),
    cookMinutes: positive(recipe['cook_time_minutes']),
    ingredients: list(recipe['ingredients']).flatMap(ingredient),
    steps: list(recipe['steps']).flatMap(step),
  };
}

function ingredient(value: unknown): Ingredient[] {
  if (typeof value === 'string') return [{ name: value, quantity: null, unit: null, notes: null }];
  if (!isFields(value)) return [];
  const name = text(value['name']);
  if (name === null) return [];
  return [{ name, quantity: value['quantity'], unit: text(value['unit']), notes: text(value['notes']) }];
}

function step(value: unknown): Step[] {
  if (typeof value === 'string') return [{ instruction: value, minutes: null }];
  if (!isFields(value)) return [];
  const instruction = text(value['instruction']);
  return instruction === null ? [] : [{ instruction, minutes: positive(value['duration_minutes']) }];
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const positive = (value: unknown): number | null => (typeof value === 'number' && value > 0 ? value : null);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
