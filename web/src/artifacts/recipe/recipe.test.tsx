// @vitest-environment jsdom

import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { getState, INITIAL, setState } from '../../state/store';
import { hearRequests, refusal } from '../../testing/draw';
import { useLanguage } from '../../words/language';
import RecipePanel from './RecipePanel';

const user = userEvent.setup({ delay: null });

const SOUP = {
  id: 'r1',
  title: 'Tomato Soup',
  servings: 4,
  prep_time_minutes: 10,
  cook_time_minutes: 95,
  ingredients: [{ name: 'tomatoes', quantity: 1, unit: 'kg' }, { name: 'onions', quantity: 2 }],
  steps: [{ instruction: 'Chop.', duration_minutes: 5 }, { instruction: 'Simmer.' }],
};

beforeEach(() => {
  useLanguage.setState({ language: 'en' });
  setState({ ...INITIAL, panel: { kind: 'recipe', id: 'r1' } }, true);
});
afterEach(() => vi.unstubAllGlobals());

/** at once in a loading state, then the recipe. */
it('loads, then shows the recipe', async () => {
  const heard = hearRequests(() => Response.json(SOUP));
  render(<RecipePanel id="r1" />);
  expect(screen.getByText('Loading the recipe…')).toBeDefined();
  expect(await screen.findByRole('heading', { name: 'Tomato Soup' })).toBeDefined();
  expect(heard[0]?.path).toBe('/api/recipes/r1');
  expect(screen.getByText('1 h 35 min')).toBeDefined();
});

it('scales what is needed, and lets steps be checked off', async () => {
  hearRequests(() => Response.json(SOUP));
  render(<RecipePanel id="r1" />);
  await screen.findByText('tomatoes');
  for (let times = 0; times < 2; times += 1) await user.click(screen.getByRole('button', { name: 'More servings' }));
  expect(screen.getByText('1½ kg')).toBeDefined();
  expect(screen.getByText('3')).toBeDefined();
  for (let times = 0; times < 5; times += 1) await user.click(screen.getByRole('button', { name: 'Fewer servings' }));
  expect(screen.getByText('¼ kg')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Fewer servings' })).toHaveProperty('disabled', true);
  const step = screen.getByRole('checkbox', { name: /Chop/ });
  await user.click(step);
  expect(step).toHaveProperty('checked', true);
});

/** a 404 says so, and the panel stays. */
it('says that there is no such recipe, and stays', async () => {
  hearRequests(() => refusal(404, 'not_found'));
  render(<RecipePanel id="r1" />);
  expect(await screen.findByText('Recipe not found')).toBeDefined();
  expect(getState().panel).not.toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back to the chat' }));
  expect(getState().panel).toBeNull();
});

it('offers to try again when the server cannot be reached', async () => {
  let down = true;
  hearRequests(() => (down ? refusal(503, 'unavailable') : Response.json(SOUP)));
  render(<RecipePanel id="r1" />);
  await screen.findByText('The recipe could not be loaded');
  down = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Simmer.')).toBeDefined();
});

it('nothing in a recipe becomes markup', async () => {
  hearRequests(() => Response.json({ ...SOUP, title: '<img src=x onerror=pwned()>', steps: ['<script>pwned()</script>'], ingredients: ['<b>x</b>'] }));
  const { container } = render(<RecipePanel id="r1" />);
  await screen.findByRole('heading', { name: '<img src=x onerror=pwned()>' });
  expect(container.querySelectorAll('img, script, b')).toHaveLength(0);
});
