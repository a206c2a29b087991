// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { clearDrafts, openDraftsOf } from '../state/draft_storage';
import { renderRecording, recordRequests, refusal, flushPromises } from '../testing/render';

const user = userEvent.setup({ delay: null });
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const kept = () => Object.keys(localStorage).filter((name) => name.startsWith('parlor.draft.'));

beforeEach(() => openDraftsOf('home', 'user'));
afterEach(() => {
  clearDrafts();
  vi.unstubAllGlobals();
});

/** As a reload does: everything is drawn anew. */
async function reload(name: string): Promise<void> {
  cleanup();
  await renderRecording(name, 'userPrompt');
}

/** P-9, U-6: what is half done is there again. */
describe('a half-given answer', () => {
  it('is kept: words', async () => {
    await renderRecording('input', 'userPrompt');
    await user.type(screen.getByRole('textbox'), 'Recipe');
    await reload('input');
    expect(screen.getByRole('textbox')).toHaveProperty('value', 'Recipe');
  });

  it('is kept: the steps of a wizard, and which one', async () => {
    await renderRecording('wizard', 'userPrompt');
    await user.type(screen.getByRole('textbox'), 'Bread');
    await user.click(button('Next'));
    expect(screen.getByText(/^Step 2/)).toBeDefined();
    await reload('wizard');
    expect(screen.getByText(/^Step 2/)).toBeDefined();
    await user.click(button('Back'));
    expect(screen.getByRole('textbox')).toHaveProperty('value', 'Bread');
  });

  it('is kept: choices among several questions', async () => {
    await renderRecording('multi_question', 'userPrompt');
    await user.click(screen.getAllByRole('radio')[1]!);
    await reload('multi_question');
    expect(screen.getAllByRole('radio')[1]).toHaveProperty('checked', true);
  });

  it('is kept: the reason of a refusal', async () => {
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('More'));
    await user.click(screen.getByRole('menuitem', { name: /say why/, hidden: true }));
    await user.type(screen.getByLabelText(/Why not/), 'Not today');
    await reload('approval_edit');
    expect(screen.getByLabelText(/Why not/)).toHaveProperty('value', 'Not today');
  });

  /** S-5, P-7: what was changed is still marked as changed. */
  it('is kept: changed arguments, and that they are changed', async () => {
    const heard = recordRequests();
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('Arguments'));
    await user.click(button('Change'));
    const field = screen.getAllByRole('textbox')[0] as HTMLInputElement;
    await user.type(field, ' more');
    const changed = field.value;
    await reload('approval_edit');
    expect(screen.getByText('You changed what it will be told.')).toBeDefined();
    await user.click(button('Allow once'));
    const sent = heard.find(({ path }) => path.endsWith('/response'))?.body;
    expect(JSON.stringify(sent)).toContain(JSON.stringify(changed));
  });

  it('is kept: what a plan should be instead', async () => {
    await renderRecording('plan', 'userPrompt');
    await user.click(button('Refine plan'));
    await user.type(screen.getByLabelText('What should be different?'), 'For six');
    await reload('plan');
    expect(screen.getByLabelText('What should be different?')).toHaveProperty('value', 'For six');
  });

  it('goes when it was given, and stays when it did not fit', async () => {
    recordRequests(() => refusal(422, 'answer_invalid'));
    await renderRecording('input', 'userPrompt');
    await user.type(screen.getByRole('textbox'), 'Recipe{Enter}');
    await flushPromises();
    expect(kept()).toHaveLength(1);
    // What was disabled while it was on its way has the focus again.
    expect(document.activeElement).toBe(screen.getByRole('textbox'));
    recordRequests();
    await user.keyboard('{Enter}');
    await flushPromises();
    expect(kept()).toEqual([]);
  });

  it('that cannot be read any more is none', async () => {
    await renderRecording('wizard', 'userPrompt');
    await user.type(screen.getByRole('textbox'), 'Bread');
    const [name] = kept();
    localStorage.setItem(name!, JSON.stringify({ at: Date.now(), value: { step: 'two', answers: 7 } }));
    await reload('wizard');
    expect(screen.getByText(/^Step 1/)).toBeDefined();
    expect(screen.getByRole('textbox')).toHaveProperty('value', '');
  });
});

/** U-4: Escape closes the nearest thing, decides nothing and loses nothing. */
describe('Escape', () => {
  it('closes the reason of a refusal, and keeps what it says', async () => {
    const heard = recordRequests();
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('More'));
    await user.click(screen.getByRole('menuitem', { name: /say why/, hidden: true }));
    await user.keyboard('Not today{Escape}');
    expect(screen.queryByLabelText(/Why not/)).toBeNull();
    expect(document.activeElement?.tagName).toBe('SECTION');
    expect(heard).toEqual([]);
    await user.click(button('More'));
    await user.click(screen.getByRole('menuitem', { name: /say why/, hidden: true }));
    expect(screen.getByLabelText(/Why not/)).toHaveProperty('value', 'Not today');
  });

  it('folds the arguments, and keeps what was changed in them', async () => {
    const heard = recordRequests();
    await renderRecording('approval_edit', 'userPrompt');
    await user.click(button('Arguments'));
    await user.click(button('Change'));
    const field = screen.getAllByRole('textbox')[0] as HTMLInputElement;
    await user.type(field, ' more');
    const changed = field.value;
    await user.keyboard('{Escape}');
    expect(button('Arguments').getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(button('Arguments'));
    expect(screen.getByText('You changed what it will be told.')).toBeDefined();
    await user.click(button('Arguments'));
    expect(screen.getAllByRole('textbox')[0]).toHaveProperty('value', changed);
    // The edit may have asked for a preview by now.
    expect(heard.filter(({ path }) => !path.endsWith('/preview'))).toEqual([]);
  });
});
