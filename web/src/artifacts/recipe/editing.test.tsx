// @vitest-environment jsdom

import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ToolsRow } from '../../cards/ToolsRow';
import { useLanguage } from '../../i18n/language';
import type { ToolItem } from '../../state/model';
import { getState, INITIAL, setState } from '../../state/store';
import { refusal } from '../../testing/render';
import ImportPanel, { sourceIn } from './ImportPanel';
import { asRecipe } from './recipe';
import { useRecipeDrafts } from './recipe_drafts';
import { fieldsOf, recipeIn } from './recipe_form';
import RecipePanel from './RecipePanel';

const user = userEvent.setup({ delay: null });

const SOUP = {
  id: 'r1',
  title: 'Tomato Soup',
  servings: 4,
  ingredients: [{ name: 'tomatoes', quantity: 1.5, unit: 'kg' }, { name: 'basil' }],
  steps: [{ instruction: 'Chop.', duration_minutes: 5 }, { instruction: 'Simmer.' }],
};

interface Put {
  path: string;
  method: string;
  body: unknown;
  version: string | null;
}

let sent: Put[];

function answering(answer: (put: Put) => Response): void {
  sent = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => {
    const put = {
      path,
      method: init.method ?? 'GET',
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : null,
      version: new Headers(init.headers).get('if-match'),
    };
    sent.push(put);
    return Promise.resolve(answer(put));
  });
}

const tagged = (recipe: object, tag: string) => Response.json(recipe, { headers: { etag: `"${tag}"` } });

beforeEach(() => {
  useRecipeDrafts.setState({ edits: {}, text: '', found: null });
  window.localStorage.clear();
  useLanguage.setState({ language: 'en' });
  setState({ ...INITIAL, panel: { kind: 'recipe', id: 'r1' } }, true);
});
afterEach(() => vi.unstubAllGlobals());

const button = (name: string | RegExp) => screen.getByRole('button', { name });

describe('the form of a recipe', () => {
  it('gives back the recipe that it was made of', () => {
    const { id: _id, ...content } = SOUP;
    const fields = fieldsOf(asRecipe(SOUP)!);
    expect(recipeIn(fields)).toEqual({ ...content, ingredients: [{ name: 'tomatoes', quantity: '1.5', unit: 'kg' }, { name: 'basil' }] });
  });

  it('says what is missing, and leaves blank lines out', () => {
    const fields = fieldsOf(asRecipe(SOUP)!);
    expect(recipeIn({ ...fields, title: ' ' })).toEqual({ problem: 'title' });
    expect(recipeIn({ ...fields, servings: 'four' })).toEqual({ problem: 'number', field: 'servings' });
    expect(recipeIn({ ...fields, steps: [{ instruction: 'x', minutes: '1.5' }] })).toEqual({ problem: 'number', field: 'minutes', at: 0 });
    const blank = recipeIn({ ...fields, ingredients: [{ quantity: '2', unit: '', name: ' ', notes: '' }], steps: [{ instruction: '', minutes: '' }] });
    expect(blank).toMatchObject({ ingredients: [], steps: [] });
  });
});

/** a recipe is changed where it stands. */
describe('editing in place', () => {
  it('saves the version that was read', async () => {
    answering(({ method, body }) => (method === 'GET' ? tagged(SOUP, '7') : tagged({ ...SOUP, ...(body as object) }, '8')));
    render(<RecipePanel id="r1" />);
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    const title = screen.getByRole('textbox', { name: 'Title' });
    expect(document.activeElement).toBe(title);
    await user.clear(title);
    await user.click(button('Save'));
    expect(screen.getByText('The recipe needs a title.')).toBeDefined();
    await user.type(title, 'Red Soup');
    await user.click(button('Add an ingredient'));
    await user.type(screen.getByRole('textbox', { name: 'Ingredient 3' }), 'salt');
    await user.click(button('Remove “basil”'));
    await user.click(button('Save'));
    expect(await screen.findByRole('heading', { name: 'Red Soup' })).toBeDefined();
    expect(sent.at(-1)).toMatchObject({ method: 'PUT', version: '"7"', body: { title: 'Red Soup', ingredients: [{ name: 'tomatoes' }, { name: 'salt' }] } });
  });

  it('overwrites nobody in silence', async () => {
    let theirs = 7;
    answering(({ method, version }) => {
      if (method === 'GET') return tagged({ ...SOUP, title: `Soup ${theirs}` }, String(theirs));
      return version === null || version === `"${theirs}"` ? tagged({ ...SOUP, title: 'Mine' }, '9') : refusal(412, 'changed');
    });
    const { unmount } = render(<RecipePanel id="r1" />);
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    theirs = 8;
    await user.click(button('Save'));
    expect(await screen.findByText(/Somebody changed this recipe while you were editing it/)).toBeDefined();
    expect(screen.getByRole('textbox', { name: 'Title' })).toHaveProperty('value', 'Soup 7');
    await user.click(button('Show theirs, drop mine'));
    expect(await screen.findByRole('heading', { name: 'Soup 8' })).toBeDefined();
    unmount();
    theirs = 7;
    render(<RecipePanel id="r1" />);
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    theirs = 8;
    await user.click(button('Save'));
    await user.click(await screen.findByRole('button', { name: 'Save mine over it' }));
    expect(await screen.findByRole('heading', { name: 'Mine' })).toBeDefined();
  });

  it('keeps what was typed when it is not saved, and drops nothing on Escape', async () => {
    answering(({ method }) => (method === 'GET' ? tagged(SOUP, '7') : refusal(409, 'title_taken')));
    render(<RecipePanel id="r1" />);
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    await user.type(screen.getByRole('textbox', { name: 'Title' }), '!');
    await user.keyboard('{Escape}');
    await user.click(button('Save'));
    expect(await screen.findByText(/There is one of that name already/)).toBeDefined();
    expect(screen.getByRole('textbox', { name: 'Title' })).toHaveProperty('value', 'Tomato Soup!');
    await user.click(button('Cancel'));
    expect(screen.getByRole('heading', { name: 'Tomato Soup' })).toBeDefined();
    await user.click(button('Edit'));
    await user.keyboard('{Escape}');
    expect(screen.getByRole('heading', { name: 'Tomato Soup' })).toBeDefined();
  });

  it('loses nothing when the panel is drawn anew', async () => {
    answering(() => tagged(SOUP, '7'));
    const { unmount } = render(<RecipePanel id="r1" />);
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    await user.type(screen.getByRole('textbox', { name: 'Title' }), ' of the day');
    unmount();
    render(<RecipePanel id="r1" />);
    expect(await screen.findByRole('textbox', { name: 'Title' })).toHaveProperty('value', 'Tomato Soup of the day');
  });

  it('prints the recipe alone', async () => {
    answering(() => tagged(SOUP, '7'));
    const printed = vi.fn(() => expect(document.documentElement.dataset['printing']).toBe('recipe'));
    vi.stubGlobal('print', printed);
    render(<RecipePanel id="r1" />);
    await user.click(await screen.findByRole('button', { name: 'Print' }));
    expect(printed).toHaveBeenCalledOnce();
    window.dispatchEvent(new Event('afterprint'));
    expect(document.documentElement.dataset['printing']).toBeUndefined();
  });
});

describe('importing', () => {
  it('tells an address from a text', () => {
    expect(sourceIn(' https://example.org/soup \n')).toEqual({ url: 'https://example.org/soup' });
    expect(sourceIn('Soup\nsee https://example.org')).toEqual({ text: 'Soup\nsee https://example.org' });
    expect(sourceIn('ftp://example.org')).toEqual({ text: 'ftp://example.org' });
  });

  it('is read, reviewed with what was not understood, and saved', async () => {
    const { id: _id, ...draft } = SOUP;
    answering(({ path }) => (path.endsWith('/import') ? Response.json({ recipe: draft, source: 'text', not_understood: ['Nutrition: 5 kcal'] }) : tagged({ ...SOUP, id: 'r9' }, '1')));
    render(<ImportPanel />);
    await user.type(screen.getByRole('textbox', { name: /Address of a page/ }), 'Tomato Soup');
    await user.click(button('Read it'));
    expect(await screen.findByText('Please check it. It is not saved yet.')).toBeDefined();
    expect(screen.getByText('Nutrition: 5 kcal')).toBeDefined();
    await user.click(button('Save'));
    await waitFor(() => expect(getState().panel).toEqual({ kind: 'recipe', id: 'r9' }));
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/recipes/import', 'POST /api/recipes']);
  });

  it('says what to do when nothing can be read', async () => {
    answering(() => refusal(403, 'forbidden'));
    render(<ImportPanel />);
    await user.type(screen.getByRole('textbox', { name: /Address of a page/ }), 'http://127.0.0.1/');
    await user.click(button('Read it'));
    expect(await screen.findByText('This address cannot be read: only public web pages can.')).toBeDefined();
    expect(sent[0]?.body).toEqual({ url: 'http://127.0.0.1/' });
  });
});

it('the names of recipes in a result open them', async () => {
  const output = { recipes: [{ id: 'r1', title: 'Tomato Soup' }, { id: 7, title: 'broken' }] };
  const item = { kind: 'tool', key: 'k', turn: null, tool: 'list_recipes', status: 'completed', result: { content: '', metadata: {}, data: { output } } } as unknown as ToolItem;
  setState({ panel: null });
  render(<ToolsRow tools={[item]} active={false} />);
  await user.click(button('2 recipes found'));
  expect(screen.queryByRole('button', { name: 'broken' })).toBeNull();
  await user.click(button('Tomato Soup'));
  expect(getState().panel).toEqual({ kind: 'recipe', id: 'r1' });
});
