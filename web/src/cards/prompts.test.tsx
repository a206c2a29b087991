// @vitest-environment jsdom

import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { currentDraft, getState } from '../state/store';
import { recording } from '../testing/recordings';
import { flushPromises, recordRequests, refusal, renderRecording, threadWith } from '../testing/render';

const user = userEvent.setup({ delay: null });

/** The id of the recipe that the approvals are about. */
const SOUP = recording('approval_edit').flatMap(({ body }) => (body.event === 'userPrompt' ? [body.data.toolCall?.input as { recipe_id: string }] : []))[0]!.recipe_id;

afterEach(() => vi.unstubAllGlobals());

const answers = (heard: { path: string; body: unknown }[]) =>
  heard.filter(({ path }) => path.endsWith('/response')).map(({ body }) => body);
const button = (name: string | RegExp) => screen.getByRole('button', { name });

describe('an approval', () => {
  /** U-1, T-5, P-7: name, parameters and preview; a destructive one names its act. */
  it('says what will happen, in words, and what changes', async () => {
    await renderRecording('approval', 'userPrompt');
    expect(screen.getByRole('heading', { name: 'Parlor wants to delete “Tomato Soup”' })).toBeDefined();
    expect(screen.getByText('Important')).toBeDefined();
    expect(within(screen.getByRole('group', { name: /What changes/ })).getByText('Tomato Soup')).toBeDefined();
    expect(button('Delete recipe')).toBeDefined();
    expect(button("Don’t allow")).toBeDefined();
    expect(button('Keep waiting')).toBeDefined();
    expect(screen.queryByText(/recipe_id/)).toBeNull();
    expect(document.activeElement?.tagName).toBe('SECTION');
  });

  it('is allowed once with a click, and cannot be answered twice', async () => {
    const heard = recordRequests();
    await renderRecording('approval', 'userPrompt');
    await user.click(button('Delete recipe'));
    expect(answers(heard)).toEqual([{ response: 'yes' }]);
    expect(button('Delete recipe')).toHaveProperty('disabled', true);
  });

  it('is refused with a click, or with a reason', async () => {
    const heard = recordRequests();
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('More'));
    await user.click(screen.getByRole('menuitem', { name: /say why/, hidden: true }));
    await user.type(screen.getByLabelText(/Why not/), 'Not today');
    await user.click(button("Don’t allow"));
    expect(answers(heard)).toEqual([{ response: 'no', reason: 'Not today' }]);
  });

  /** P-11: one tool, one conversation, said in words, never preselected. */
  it('is allowed always only on purpose', async () => {
    const heard = recordRequests();
    await renderRecording('approval_edit', 'userPrompt');
    expect(screen.queryByText(/Always allow/)).toBeNull();
    await user.click(button('More'));
    const always = screen.getByRole('menuitem', { name: /Always allow in this conversation/, hidden: true });
    expect(always.textContent).toContain('“update recipe” will run here without asking');
    await user.click(always);
    expect(answers(heard)).toEqual([{ response: 'yes', remember: 'conversation' }]);
  });

  /** S-5: edited as a form; what is masked is shown as such and not editable. */
  it('can be edited, but not where it is masked', async () => {
    const heard = recordRequests();
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('Arguments'));
    expect(screen.getByText('update_recipe')).toBeDefined();
    await user.click(button('Change'));
    expect(screen.queryByRole('textbox', { name: /Description/ })).toBeNull();
    expect(screen.getAllByText('[token]')).not.toEqual([]);
    const servings = screen.getByRole('spinbutton', { name: /Servings/ });
    await user.clear(servings);
    await user.type(servings, '5000');
    expect(screen.getByText('This is too large.')).toBeDefined();
    expect(button('Allow once')).toHaveProperty('disabled', true);
    await user.clear(servings);
    await user.type(servings, '5');
    expect(screen.getByText(/You changed/)).toBeDefined();
    await user.click(button('Allow once'));
    expect(answers(heard)).toEqual([{ response: 'yes', input: expect.objectContaining({ servings: 5, description: '[token]' }) as unknown }]);
  });

  /** P-7: the preview is that of the arguments as they are now, or says that it is not known. */
  it('shows what an edit changes', async () => {
    const heard = recordRequests(({ path, body }) => {
      if (!path.endsWith('/preview')) return Response.json({});
      const { servings } = (body as { input: { servings: number } }).input;
      if (servings === 7) return Response.json({});
      return Response.json({ preview: { kind: 'record', old: { title: 'Tomato Soup', servings: 4 }, new: { title: 'Tomato Soup', servings } } });
    });
    await renderRecording('approval_edit', 'userPrompt');
    const preview = () => screen.getByRole('group', { name: /What changes/ });
    expect(within(preview()).getByText('6')).toBeDefined();
    await user.click(button('Arguments'));
    await user.click(button('Change'));
    const servings = screen.getByRole('spinbutton', { name: /Servings/ });
    await user.clear(servings);
    await user.type(servings, '5');
    expect(await within(preview()).findByText('5')).toBeDefined();
    expect(within(preview()).queryByText('6')).toBeNull();
    await user.clear(servings);
    await user.type(servings, '7');
    expect(await screen.findByText(/not known/)).toBeDefined();
    expect(screen.queryByRole('group', { name: /What changes/ })).toBeNull();
    await user.click(button('Discard changes'));
    expect(within(preview()).getByText('6')).toBeDefined();
    const asked = heard.filter(({ path }) => path.endsWith('/preview'));
    expect(asked.map(({ body }) => (body as { input: unknown }).input)).toEqual([
      expect.objectContaining({ servings: 5, description: '[token]' }),
      expect.objectContaining({ servings: 7, description: '[token]' }),
    ]);
  });

  /** What an id names is said by its title, and an id that is needed is not optional. */
  it('names a recipe by its title', async () => {
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('Arguments'));
    expect(screen.getByText(SOUP).parentElement?.textContent).toContain('Tomato Soup');
    await user.click(button('Change'));
    const field = screen.getByRole('textbox', { name: 'Recipe' });
    expect(field.getAttribute('aria-required')).toBe('true');
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Tomato Soup');
    expect(screen.getByRole('textbox', { name: /^Title\s*optional/ })).toBeDefined();
  });

  it('takes JSON from experts, with masked parts as they are', async () => {
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('Arguments'));
    await user.click(button('Change'));
    await user.click(button('JSON'));
    const field = screen.getByRole('textbox', { name: 'Arguments' });
    await user.clear(field);
    await user.type(field, '{{"recipe_id": ');
    expect(screen.getByText(/not valid JSON/)).toBeDefined();
    await user.type(field, `"${SOUP}", "description": "mine"}`);
    expect(screen.getByText('Hidden parts cannot be changed.')).toBeDefined();
  });

  /** P-5: a bad answer leaves it open and says what is wrong. */
  it('stays open when the answer does not fit', async () => {
    recordRequests(() => refusal(422, 'answer_invalid', 'servings: 0 is too small.'));
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('Allow once'));
    await flushPromises();
    expect(screen.getByText('This answer does not fit. servings: 0 is too small.')).toBeDefined();
    expect(button('Allow once')).toHaveProperty('disabled', false);
  });

  /** P-5, U-4: what does not fit is said by the field's label, in the reader's language. */
  it('says which field does not fit', async () => {
    const problems = [
      { pointer: '/title', problem: 'too_short', limit: 1 },
      { pointer: '/ingredients/1/name', problem: 'missing' },
    ];
    const error = { code: 'answer_invalid', message: 'No.', problems };
    recordRequests(() => Response.json({ error }, { status: 422 }));
    for (const [language, allow, text] of [
      ['en', 'Allow once', '“Title” must not be empty. “Ingredients 2 Name” is missing.'],
      ['pt', 'Permitir uma vez', '“Título” não pode ficar vazio. Falta preencher “Ingredientes 2 Nome”.'],
    ] as const) {
      const { unmount } = await renderRecording('approval_edit', 'userPrompt', language);
      await user.click(button(allow));
      await flushPromises();
      expect(screen.getByText(text)).toBeDefined();
      unmount();
    }
  });

  /** P-4 */
  it('waits without an end when asked to', async () => {
    const heard = recordRequests();
    await renderRecording('approval', 'userPrompt');
    await user.click(button('Keep waiting'));
    expect(heard).toMatchObject([{ path: expect.stringMatching(/\/extend$/) as unknown, body: { seconds: 0 } }]);
  });

  it('makes hidden characters visible', async () => {
    const { rerender } = await renderRecording('approval_refused', 'userPrompt');
    expect(screen.getByText(/‹U\+202E›/)).toBeDefined();
    expect(screen.getAllByText('50 items')).toBeDefined();
    expect(screen.getByText('and 47 more')).toBeDefined();
    // The server has done it already; the page does not depend on that.
    const events = recording('approval_refused').map((event) => structuredClone(event));
    for (const { body } of events) {
      if (body.event === 'userPrompt') Object.assign(body.data, { preview: { kind: 'list', items: ['old/\u202Egol.exe'], count: 1 } });
    }
    const asked = events.slice(0, events.findIndex(({ body }) => body.event === 'userPrompt') + 1);
    act(() => rerender(threadWith(asked)));
    expect(screen.getAllByText('U+202E')).toHaveLength(2);
  });

  it('folds when it is over: the question, who answered what and when', async () => {
    for (const [name, text] of [
      ['approval', 'Answered: allowed'],
      ['approval_refused', 'Cancelled by the user'],
      ['approval_expired', 'No answer in time; nothing was done'],
      ['approval_edit', 'Allowed with changes'],
    ] as const) {
      const { unmount } = await renderRecording(name);
      expect(screen.getByText(text), name).toBeDefined();
      expect(screen.queryByRole('button', { name: /Allow once|Delete recipe/ }), name).toBeNull();
      unmount();
    }
    await renderRecording('approval_refused', undefined, 'pt');
    expect(screen.getByText('Operação cancelada pelo usuário')).toBeDefined();
    expect(screen.getByText(/^por meio de “PARLOR_API_KEY”, \d\d:\d\d$/)).toBeDefined();
    expect(screen.getByText(/Motivo:/).textContent).toBe('Motivo: These are still needed.');
  });

  /** P-6: what was proposed and what ran are both on the card, and its details are what ran. */
  it('shows what was proposed and what ran', async () => {
    await renderRecording('approval_edit');
    const servings = screen.getByText('Servings').parentElement;
    expect(servings?.textContent).toBe('ServingsProposed: 6Ran: 5');
    await user.click(button('Details'));
    expect(within(screen.getByRole('group', { name: /What changes/ })).getByText('5')).toBeDefined();
    expect(within(screen.getByRole('group', { name: /What changes/ })).queryByText('6')).toBeNull();
  });
});

describe('a question', () => {
  /** T-4, U-1: a click sends the answer, the buttons are disabled. */
  it('is answered with a click', async () => {
    const heard = recordRequests();
    await renderRecording('question', 'userPrompt');
    expect(screen.getByText('Suggested').closest('button')?.textContent).toContain('Soup');
    await user.click(button(/Cookies/));
    expect(answers(heard)).toEqual([{ response: 'cookies' }]);
    for (const option of screen.getAllByRole('button')) expect(option).toHaveProperty('disabled', true);
  });

  it('is answered with a number key and Enter', async () => {
    const heard = recordRequests();
    await renderRecording('question', 'userPrompt');
    await user.keyboard('3');
    expect(answers(heard)).toEqual([]);
    await user.keyboard('{Enter}');
    expect(answers(heard)).toEqual([{ response: 'option-3' }]);
  });

  /** U-4: a sentence that begins with a digit is a sentence. */
  it.each(['3 ', '12 ', '3f', '9', 'N'])('is not answered by words that begin with “%s”', async (typed) => {
    const heard = recordRequests();
    await renderRecording('question', 'userPrompt');
    await user.keyboard(typed);
    expect(answers(heard)).toEqual([]);
    expect(currentDraft(getState()).text, 'they go on in the composer').toBe(typed);
  });

  it('leaves keys alone while the focus is elsewhere', async () => {
    const heard = recordRequests();
    await renderRecording('question', 'userPrompt');
    (document.activeElement as HTMLElement).blur();
    await user.keyboard('3{Enter}');
    expect(answers(heard)).toEqual([]);
  });

  it('need not be answered', async () => {
    const heard = recordRequests();
    await renderRecording('question', 'userPrompt');
    await user.click(button("Don’t answer"));
    expect(answers(heard)).toEqual([{ response: null, cancelled: true }]);
  });

  it('says afterwards what was answered, by its label', async () => {
    await renderRecording('question');
    expect(screen.getByText('Answered: Cookies')).toBeDefined();
  });

  /** P-1, U-1: the field has the focus, nothing blank goes out. */
  it('in words has the focus, and its button waits for them', async () => {
    const heard = recordRequests();
    await renderRecording('input', 'userPrompt');
    const field = screen.getByRole('textbox', { name: 'What is the component called?' });
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute('placeholder')).toBe('Type your answer…');
    expect(button('Send')).toHaveProperty('disabled', true);
    await user.type(field, '   ');
    expect(button('Send')).toHaveProperty('disabled', true);
    await user.type(field, 'RecipeCard{Enter}');
    expect(answers(heard)).toEqual([{ response: '   RecipeCard' }]);
  });

  it('in words speaks Portuguese as the seeds do', async () => {
    await renderRecording('input', 'userPrompt', 'pt');
    expect(screen.getByPlaceholderText('Digite sua resposta…')).toBeDefined();
    expect(button('Enviar')).toBeDefined();
  });

  it('of yes or no says so', async () => {
    const heard = recordRequests();
    await renderRecording('confirm', 'userPrompt', 'pt');
    expect(screen.getByText('Importante')).toBeDefined();
    await user.click(button('Não'));
    expect(answers(heard)).toEqual([{ response: 'no' }]);
    expect(button('Sim')).toBeDefined();
  });
});

describe('several questions', () => {
  /** U-1: one card, answered together. */
  it('go out together once all are answered', async () => {
    const heard = recordRequests();
    await renderRecording('multi_question', 'userPrompt');
    expect(button('Send answers')).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('checkbox', { name: /Vegetarian/ }));
    expect(screen.getByText('One question is open')).toBeDefined();
    await user.click(screen.getByRole('checkbox', { name: /Vegan/ }));
    await user.type(screen.getByRole('textbox', { name: /Which database/ }), 'DuckDB');
    await user.click(button('Send answers'));
    expect(answers(heard)).toEqual([{ response: { q1: 'DuckDB', q2: ['vegetarian', 'vegan'] } }]);
  });

  it('say afterwards what was answered', async () => {
    await renderRecording('multi_question');
    expect(screen.getByText('Answered: SQLite · Vegetarian, Vegan')).toBeDefined();
  });
});

describe('a plan', () => {
  /** U-1, T-2: goal, numbered steps, tools, risks, both buttons. */
  it('shows its goal, steps, tools and risks', async () => {
    await renderRecording('plan', 'userPrompt');
    expect(screen.getByRole('heading', { name: 'Dinner for four' })).toBeDefined();
    expect(within(screen.getAllByRole('list')[0]!).getAllByText(/Pick two recipes|Scale them|Write the shopping/)).toHaveLength(3);
    expect(screen.getAllByText('Search recipes')).toHaveLength(2);
    expect(screen.getByText('The oven is small')).toBeDefined();
  });

  it('is carried out, or refined with words', async () => {
    const heard = recordRequests();
    const { unmount } = await renderRecording('plan', 'userPrompt');
    await user.click(button('Execute plan'));
    unmount();
    await renderRecording('plan', 'userPrompt');
    await user.click(button('Refine plan'));
    expect(button('Ask for a new plan')).toHaveProperty('disabled', true);
    await user.type(screen.getByLabelText('What should be different?'), 'No oven');
    await user.click(button('Ask for a new plan'));
    expect(answers(heard)).toEqual([{ response: 'execute' }, { response: 'refine', reason: 'No oven' }]);
  });

  it('in markdown is shown as it was written', async () => {
    await renderRecording('plan_markdown', 'userPrompt');
    expect(screen.getByText('Wipe the shelves')).toBeDefined();
  });
});

/** P-8 */
it('a wizard goes back and forth, and is answered as one', async () => {
  const heard = recordRequests();
  await renderRecording('wizard', 'userPrompt');
  expect(screen.getByText('Step 1 of 3')).toBeDefined();
  expect(button('Next')).toHaveProperty('disabled', true);
  await user.type(screen.getByRole('textbox'), 'Bread{Enter}');
  await user.click(button(/Dessert/));
  await user.click(button('Back'));
  expect(screen.getByRole('textbox')).toHaveProperty('value', 'Bread');
  await user.click(button('Next'));
  await user.click(button(/Main/));
  await user.click(button('Next'));
  await user.click(button(/Yes/));
  await user.click(button('Send answers'));
  expect(answers(heard)).toEqual([{ response: { title: 'Bread', kind: 'main', public: 'yes' } }]);
});

/** I-1: what an app has to do is shown; a person can only stop waiting for it. */
it('a call of the tool of an app waits for that app', async () => {
  const heard = recordRequests();
  await renderRecording('client_call', 'userPrompt');
  expect(screen.getByText(/The app that sent the message does this/)).toBeDefined();
  await user.click(button('Don’t wait for it'));
  expect(answers(heard)).toEqual([{ response: null, cancelled: true }]);
});

it('a form is made from its schema, and says what is missing', async () => {
  const heard = recordRequests();
  await renderRecording('form', 'userPrompt');
  await user.click(button('Send'));
  expect(screen.getAllByText('This is needed.')).toHaveLength(2);
  await user.type(screen.getByRole('textbox', { name: 'Full name' }), 'Ana');
  await user.type(screen.getByRole('textbox', { name: 'City' }), 'Porto');
  await user.selectOptions(screen.getByRole('combobox'), 'In the evening');
  await user.click(screen.getByRole('checkbox', { name: 'Ring the bell' }));
  await user.click(button('Send'));
  expect(answers(heard)).toEqual([{ response: { name: 'Ana', city: 'Porto', time: 'evening', ring: false } }]);
});
