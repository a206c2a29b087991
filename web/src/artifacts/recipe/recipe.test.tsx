// @vitest-environment jsdom

import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useLanguage } from '../../i18n/language';
import { getState, INITIAL, setState } from '../../state/store';
import { recordRequests, refusal } from '../../testing/render';
import { keepProgress, progressOf } from './progress';
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
  window.localStorage.clear();
  useLanguage.setState({ language: 'en' });
  setState({ ...INITIAL, panel: { kind: 'recipe', id: 'r1' } }, true);
});
afterEach(() => vi.unstubAllGlobals());

/** at once in a loading state, then the recipe. */
it('loads, then shows the recipe', async () => {
  const heard = recordRequests(() => Response.json(SOUP));
  render(<RecipePanel id="r1" />);
  expect(screen.getByText('Loading the recipe…')).toBeDefined();
  expect(await screen.findByRole('heading', { name: 'Tomato Soup' })).toBeDefined();
  expect(heard[0]?.path).toBe('/api/recipes/r1');
  expect(screen.getByText('1 h 35 min')).toBeDefined();
});

it('scales what is needed, and lets steps be checked off', async () => {
  recordRequests(() => Response.json(SOUP));
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

/** Who closes the panel, or reloads, goes on where they were. */
it('remembers servings and what is checked off, for each recipe and line', async () => {
  let soup = SOUP;
  recordRequests(({ path }) => Response.json({ ...soup, id: path.split('/').at(-1) }));
  const first = render(<RecipePanel id="r1" />);
  await screen.findByText('tomatoes');
  await user.click(screen.getByRole('button', { name: 'More servings' }));
  await user.click(screen.getByRole('checkbox', { name: /onions/ }));
  await user.click(screen.getByRole('checkbox', { name: /Chop/ }));
  expect(window.localStorage.getItem('parlor.cooking')).not.toMatch(/onions|Chop/);
  first.unmount();
  const second = render(<RecipePanel id="r1" />);
  expect(await screen.findByText('1¼ kg')).toBeDefined();
  const checked = () => screen.getAllByRole('checkbox').map((box) => (box as HTMLInputElement).checked);
  expect(checked()).toEqual([false, true, true, false]);
  second.unmount();
  const other = render(<RecipePanel id="r2" />);
  await screen.findByText('tomatoes');
  expect(checked()).toEqual([false, false, false, false]);
  other.unmount();
  soup = { ...SOUP, steps: [{ instruction: 'Chop finely.', duration_minutes: 720 }] };
  render(<RecipePanel id="r1" />);
  expect(await screen.findByText('12 h')).toBeDefined();
  expect(checked(), 'a step that was changed is not done').toEqual([false, true, false]);
});

it('keeps the last twenty recipes, and nothing that is broken', () => {
  for (let at = 0; at < 30; at += 1) keepProgress(`r${at}`, { servings: 2, done: [] });
  expect([progressOf('r9').servings, progressOf('r10').servings, progressOf('r29').servings]).toEqual([null, 2, 2]);
  window.localStorage.setItem('parlor.cooking', '[{"id":"x","servings":"many","done":[1,"i0"]},7]');
  expect(progressOf('x')).toEqual({ id: 'x', servings: null, done: ['i0'] });
  window.localStorage.setItem('parlor.cooking', '{');
  expect(progressOf('x')).toEqual({ servings: null, done: [] });
});

/** a 404 says so, and the panel stays. */
it('says that there is no such recipe, and stays', async () => {
  recordRequests(() => refusal(404, 'not_found'));
  render(<RecipePanel id="r1" />);
  expect(await screen.findByText('Recipe not found')).toBeDefined();
  expect(getState().panel).not.toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back to the chat' }));
  expect(getState().panel).toBeNull();
});

it('offers to try again when the server cannot be reached', async () => {
  let down = true;
  recordRequests(() => (down ? refusal(503, 'unavailable') : Response.json(SOUP)));
  render(<RecipePanel id="r1" />);
  await screen.findByText('The recipe could not be loaded');
  down = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Simmer.')).toBeDefined();
});

it('nothing in a recipe becomes markup', async () => {
  recordRequests(() => Response.json({ ...SOUP, title: '<img src=x onerror=pwned()>', steps: ['<script>pwned()</script>'], ingredients: ['<b>x</b>'] }));
  const { container } = render(<RecipePanel id="r1" />);
  await screen.findByRole('heading', { name: '<img src=x onerror=pwned()>' });
  expect(container.querySelectorAll('img, script, b')).toHaveLength(0);
});
