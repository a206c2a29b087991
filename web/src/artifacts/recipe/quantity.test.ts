import { describe, expect, it } from 'vitest';

import { parseQuantity, scaled } from './quantity';
import { asRecipe } from './recipe';

const plain = (value: number) => String(value);

/** quantities as a cook says them. */
describe('quantities', () => {
  it.each([
    [1, 1, null, '1'],
    [1, 0.5, null, '½'],
    [1, 1.5, null, '1½'],
    [0.25, 1, 'cup', '¼'],
    [0.25, 3, 'cup', '¾'],
    [1, 1 / 3, 'cup', '⅓'],
    [2, 1.5, null, '3'],
    [3, 1.25, 'cloves', '3¾'],
    [1, 0.99, null, '1'],
    [11, 1.5, null, '16½'],
    [11, 1.3, null, '14'],
    [0.01, 1, null, '0.01'],
    [750, 1.25, 'ml', '940'],
    [100, 1 / 3, 'g', '33'],
    [5, 0.25, 'g', '1.3'],
    [1, 1.5, 'kg', '1½'],
    [1.2, 1, 'kg', '1.2'],
    [1.2, 1.5, 'kg', '1.8'],
    [0.3, 1, 'kg', '0.3'],
    [12.5, 1, null, '12½'],
    [2, 1.3, null, '2⅝'],
    ['1/2', 1, 'tsp', '½'],
    ['1 1/2', 2, 'cup', '3'],
    ['½', 1, 'tsp', '½'],
    ['1,5', 2, 'kg', '3'],
    ['a pinch', 2, null, 'a pinch'],
    [undefined, 2, null, ''],
  ])('%j times %d (%s) is %s', (quantity, factor, unit, expected) => {
    expect(scaled(quantity, factor, unit, plain)).toBe(expected);
  });

  it('what is no number is no number', () => {
    for (const text of ['', 'some', '1-2', NaN, null, {}]) expect(parseQuantity(text), JSON.stringify(text)).toBeNull();
  });
});

describe('a recipe off the wire', () => {
  it('keeps what it understands and leaves out the rest', () => {
    const recipe = asRecipe({ id: 'r1', title: 'Soup', servings: 0, ingredients: ['salt', { name: 'water', quantity: 1 }, { quantity: 2 }, 7], steps: [{ instruction: 'Stir' }, {}] });
    expect(recipe).toMatchObject({ title: 'Soup', servings: null, steps: [{ instruction: 'Stir', minutes: null }] });
    expect(recipe?.ingredients.map((one) => one.name)).toEqual(['salt', 'water']);
    expect(asRecipe({ error: 'x' })).toBeNull();
    expect(asRecipe(null)).toBeNull();
  });
});
