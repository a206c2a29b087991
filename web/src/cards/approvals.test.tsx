// @vitest-environment jsdom

import { act, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import type { Preview, ToolCall, UserPrompt } from '../protocol/generated';
import { EMPTY } from '../state/model';
import { INITIAL, setState } from '../state/store';
import { flushPromises, recordRequests, renderRecording } from '../testing/render';
import { ApprovalCard } from './ApprovalCard';
import { objectOf } from './object';

const user = userEvent.setup({ delay: null });

afterEach(() => vi.unstubAllGlobals());

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const preview = () => screen.getByRole('group', { name: /What changes/ });
const call = (name: string, input: unknown = {}): ToolCall => ({ name, input });

const SCHEMA = {
  type: 'object',
  required: ['recipe_id'],
  properties: {
    recipe_id: { type: 'string' },
    title: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    servings: { type: 'integer', minimum: 1, maximum: 1000 },
  },
};

function asked(input: object, more: Partial<UserPrompt> = {}): UserPrompt {
  return {
    type: 'userPrompt',
    promptType: 'confirm',
    messageId: 'p1',
    conversation_id: 'c1',
    question: 'Allow “Change a recipe”?',
    toolCall: call('update_recipe', input),
    schema: SCHEMA,
    ...more,
  };
}

const SOUP = { title: 'Tomato Soup', description: 'Red', servings: 4, ingredients: ['1 kg tomatoes'], steps: ['Cook.'] };
const CHANGE: Preview = { kind: 'record', old: SOUP, new: { ...SOUP, description: 'Deep red' } };

function draw(prompt: UserPrompt): void {
  useLanguage.setState({ language: 'en' });
  setState({ ...INITIAL, conversation: { ...EMPTY, id: 'c1' } }, true);
  render(<ApprovalCard prompt={prompt} call={prompt.toolCall!} />);
}

/** P-7: the title says what the call is about, where that is one thing with a name. */
describe('the object of a call', () => {
  it('is the record as it is now, or as it will be', () => {
    expect(objectOf(call('update_recipe'), { kind: 'record', old: { title: 'Old' }, new: { title: 'New' } })).toBe('Old');
    expect(objectOf(call('create_recipe'), { kind: 'record', new: { title: ' New\n one ' } })).toBe('New one');
    expect(objectOf(call('x'), { kind: 'record', old: { name: 'Ana' } })).toBe('Ana');
  });

  it('is the only item of a list', () => {
    expect(objectOf(call('delete_files'), { kind: 'list', items: ['a.txt'], count: 1 })).toBe('a.txt');
    expect(objectOf(call('delete_files'), { kind: 'list', items: ['a.txt'], count: 7 })).toBeNull();
  });

  it('is an argument of tools that are known, and of no other', () => {
    expect(objectOf(call('mcp__vault__create_recipe', { title: 'Toast' }), undefined)).toBe('Toast');
    expect(objectOf(call('send_mail', { title: 'Toast', path: '/x' }), undefined)).toBeNull();
    expect(objectOf(call('update_recipe', { title: 7 }), { kind: 'record', old: 'text' })).toBeNull();
  });

  it('is shortened', () => {
    expect(objectOf(call('x'), { kind: 'record', old: { title: 'é'.repeat(100) } })).toBe(`${'é'.repeat(60)}…`);
  });
});

/** P-7 */
describe('the preview of a record', () => {
  it('folds the fields that stay', async () => {
    draw(asked({ recipe_id: 'r1', description: 'Deep red' }, { preview: CHANGE }));
    expect(screen.getByRole('heading', { name: 'Parlor wants to change “Tomato Soup”' })).toBeDefined();
    expect(within(preview()).getAllByRole('rowheader').map((cell) => cell.textContent)).toEqual(['Descriptionchanged']);
    await user.click(button('4 fields unchanged'));
    expect(within(preview()).getAllByRole('rowheader')).toHaveLength(5);
    await user.click(button('Only what changes'));
    expect(within(preview()).getAllByRole('rowheader')).toHaveLength(1);
  });

  it('is edited where a value stands, and the edit can be taken back', async () => {
    const heard = recordRequests(({ path }) => Response.json(path.endsWith('/preview') ? { preview: CHANGE } : {}));
    draw(asked({ recipe_id: 'r1', description: 'Deep red' }, { preview: CHANGE }));
    await user.click(button('Edit “Description”'));
    const field = within(preview()).getByRole('textbox', { name: /Description/ });
    await user.clear(field);
    await user.type(field, 'Crimson');
    expect(screen.getByText(/You changed/)).toBeDefined();
    await user.click(button(/Take the change of “Description” back/));
    expect(screen.queryByText(/You changed/)).toBeNull();
    await user.click(button('Edit “Description”'));
    await user.type(within(preview()).getByRole('textbox'), '!');
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(button('Edit “Description”'));
    await user.click(button('Allow once'));
    const answers = heard.filter(({ path }) => path.endsWith('/response')).map(({ body }) => body);
    expect(answers).toEqual([{ response: 'yes', input: { recipe_id: 'r1', description: 'Deep red!' } }]);
  });

  it('offers a number that the call leaves alone, and no text: parts of it may be masked', async () => {
    const heard = recordRequests();
    draw(asked({ recipe_id: 'r1', description: 'Deep red' }, { preview: CHANGE }));
    await user.click(button('4 fields unchanged'));
    expect(screen.queryByRole('button', { name: 'Edit “Title”' })).toBeNull();
    await user.click(button('Edit “Servings”'));
    const servings = screen.getByRole('spinbutton', { name: /Servings/ });
    expect(servings).toHaveProperty('value', '4');
    await user.clear(servings);
    await user.type(servings, '0');
    expect(screen.getByText('This is too small.')).toBeDefined();
    expect(button('Allow once')).toHaveProperty('disabled', true);
    await user.clear(servings);
    await user.type(servings, '6');
    await user.click(button('Allow once'));
    const answers = heard.filter(({ path }) => path.endsWith('/response')).map(({ body }) => body);
    expect(answers).toEqual([{ response: 'yes', input: { recipe_id: 'r1', description: 'Deep red', servings: 6 } }]);
  });

  it('is not edited where it is masked, or where the agent does not give the arguments', () => {
    const masked = asked({ recipe_id: 'r1', description: '[token]' }, { preview: CHANGE });
    draw({ ...masked, toolCall: { ...masked.toolCall!, masked: ['/description'] } });
    expect(screen.queryByRole('button', { name: /^Edit “/ })).toBeNull();
  });

  it('stays while its value is edited, also if the server does not know it', async () => {
    recordRequests(() => Response.json({}));
    draw(asked({ recipe_id: 'r1', description: 'Deep red' }, { preview: CHANGE }));
    await user.click(button('Edit “Description”'));
    await user.type(screen.getByRole('textbox'), ' indeed');
    await act(() => new Promise((resolve) => setTimeout(resolve, 400)));
    expect(screen.getByText(/not known/)).toBeDefined();
    expect(screen.getByRole('textbox')).toHaveProperty('value', 'Deep red indeed');
  });
});

/** P-4: a lapsed approval is nothing done; the person can say that the agent may try again. */
describe('a lapsed approval', () => {
  it('lets the person say that it may be tried again', async () => {
    const heard = recordRequests();
    await renderRecording('approval_expired');
    expect(screen.getByText('No answer in time; nothing was done')).toBeDefined();
    const again = button('Ask again');
    expect(again.parentElement?.textContent).toContain('Sends the agent this message from you: “I did not answer in time. Please try again: use “write file”.”');
    await user.click(again);
    await flushPromises();
    expect(heard.filter(({ path }) => path === '/api/chat').map(({ body }) => (body as { message: string }).message)).toEqual([
      'I did not answer in time. Please try again: use “write file”.',
    ]);
  });

  it('is not offered after an answer', async () => {
    await renderRecording('approval');
    expect(screen.queryByRole('button', { name: 'Ask again' })).toBeNull();
  });
});
