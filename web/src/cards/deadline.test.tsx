// @vitest-environment jsdom

import { act, type RenderResult, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { announceChanges } from '../app/announce_changes';
import type { LogEvent } from '../net/decode';
import type { PromptClosed, UserPrompt } from '../protocol/generated';
import { reduce } from '../state/reduce';
import { getState, setState } from '../state/store';
import { recording, RECORDINGS } from '../testing/recordings';
import { renderRecording, recordRequests, refusal, flushPromises, threadWith } from '../testing/render';
import { useAnnouncements } from '../ui/announce';

const user = userEvent.setup({ delay: null });
const NOW = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const button = (name: string | RegExp) => screen.getByRole('button', { name });
function passing(seconds: number): void {
  act(() => void vi.advanceTimersByTime(seconds * 1000));
}
const said = () => useAnnouncements.getState().polite;

/** A prompt of a recording, with a deadline or none; what was drawn before stays as it is. */
class PromptStory {
  private readonly events: LogEvent[];
  readonly prompt: UserPrompt;
  private drawn!: RenderResult;

  constructor(private readonly name: string) {
    const all = recording(name);
    const at = all.findIndex(({ body }) => body.event === 'userPrompt');
    this.events = all.slice(0, at + 1);
    this.prompt = this.events[at]!.body.data as UserPrompt;
  }

  async within(seconds: number | null, language: 'en' | 'pt' = 'en'): Promise<this> {
    this.drawn = await renderRecording(this.name, 'userPrompt', language);
    this.now(seconds);
    return this;
  }

  now(seconds: number | null): void {
    const expires_at = seconds === null ? null : Date.now() + seconds * 1000;
    this.happens({ event: 'userPromptUpdated', data: { messageId: this.prompt.messageId, expires_at } });
  }

  lapses(): void {
    const data: PromptClosed = { messageId: this.prompt.messageId, outcome: 'expired', at: Date.now() };
    this.happens({ event: 'userPromptClosed', data });
  }

  private happens(body: LogEvent['body']): void {
    this.events.push({ id: String(900 + this.events.length), body });
    act(() => this.drawn.rerender(threadWith(this.events)));
  }
}

const asked = (name: string) => new PromptStory(name);

/** Every recording in which something is asked: a card that is added later is here by itself. */
const ASKING = RECORDINGS.filter((name) => recording(name).some(({ body }) => body.event === 'userPrompt'));

/** P-4: whatever is asked counts down, can be kept waiting, and says that it lapsed. */
describe.each(ASKING)('a deadline: %s', (name) => {
  it('is counted down, put off, and missed', async () => {
    const heard = recordRequests();
    const card = await asked(name).within(30);
    expect(screen.getAllByRole('timer')).toHaveLength(1);
    expect(screen.getByRole('timer', { name: '30 seconds left' }).textContent).toBe('0:30');
    passing(29);
    expect(screen.getByRole('timer', { name: 'One second left' })).toBeDefined();
    await user.click(button('Keep waiting'));
    await user.click(button('Keep waiting'));
    expect(heard).toMatchObject([{ path: `/api/prompts/${card.prompt.messageId}/extend`, body: { seconds: 0 } }]);
    card.now(null);
    expect(screen.queryByRole('timer')).toBeNull();
    expect(screen.getByText('Waits for you')).toBeDefined();
    card.now(5);
    expect(button('Keep waiting').getAttribute('aria-disabled')).toBe('false');
    passing(6);
    expect(screen.getByRole('timer').textContent).toBe('0:00');
    card.lapses();
    expect(screen.getByText('No answer in time; nothing was done')).toBeDefined();
    expect(screen.queryByRole('timer')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Keep waiting' })).toBeNull();
  });
});

it('there is none where nothing lapses', async () => {
  for (const name of ['multi_question', 'plan', 'wizard']) {
    const { unmount } = await renderRecording(name, 'userPrompt');
    expect(screen.queryByRole('timer'), name).toBeNull();
    expect(screen.queryByText('Waits for you'), name).toBeNull();
    unmount();
  }
});

describe('what was given so far', () => {
  it('stays when several questions count down and are put off', async () => {
    const heard = recordRequests();
    const card = await asked('multi_question').within(30);
    const other = screen.getByRole('textbox', { name: /Which database/ });
    await user.click(screen.getByRole('checkbox', { name: /Vegan/ }));
    await user.type(other, 'Duck');
    passing(12);
    card.now(60);
    expect(document.activeElement).toBe(other);
    await user.keyboard('DB');
    card.now(null);
    expect(document.activeElement).toBe(other);
    await user.click(button('Send answers'));
    expect(heard.map(({ body }) => body)).toEqual([{ response: { q1: 'DuckDB', q2: ['vegan'] } }]);
  });

  it('stays in a wizard, at its step', async () => {
    const card = await asked('wizard').within(30);
    await user.type(screen.getByRole('textbox'), 'Bread{Enter}');
    passing(5);
    card.now(null);
    expect(screen.getByText('Step 2 of 3')).toBeDefined();
    await user.click(button('Back'));
    expect(screen.getByRole('textbox')).toHaveProperty('value', 'Bread');
  });

  it('stays in what should be different about a plan', async () => {
    const card = await asked('plan').within(30);
    await user.click(button('Refine plan'));
    await user.type(screen.getByLabelText('What should be different?'), 'No oven');
    passing(5);
    card.now(null);
    expect(screen.getByLabelText('What should be different?')).toHaveProperty('value', 'No oven');
  });
});

/** U-4 */
describe('who does not see it', () => {
  it.each([
    ['en', '20 seconds left', 'Waits for you'],
    ['pt', 'Faltam 20 segundos', 'Espera por você'],
  ] as const)('is told once, in time, and when it is put off: %s', async (language, soon, waits) => {
    const card = await asked('multi_question').within(30, language);
    const { count } = said();
    passing(9);
    expect(said().count).toBe(count);
    for (let second = 0; second < 20; second += 1) passing(1);
    expect(said()).toEqual({ text: soon, count: count + 1 });
    card.now(null);
    expect(said()).toEqual({ text: waits, count: count + 2 });
  });

  it('is not told twice of one that begins with its last seconds', async () => {
    await asked('multi_question').within(15);
    const { count } = said();
    passing(10);
    expect(said().count).toBe(count);
  });

  it('goes on from the note after asking for more time', async () => {
    recordRequests();
    const card = await asked('multi_question').within(30);
    const { count } = said();
    button('Keep waiting').focus();
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(button('Keep waiting'));
    card.now(null);
    expect(document.activeElement).toBe(screen.getByText('Waits for you'));
    expect(said().count).toBe(count);
  });

  it('can ask again if it did not go through', async () => {
    const heard = recordRequests(() => refusal(503, 'unavailable'));
    await asked('multi_question').within(30);
    await user.click(button('Keep waiting'));
    await flushPromises();
    await user.click(button('Keep waiting'));
    expect(heard).toHaveLength(2);
  });

  it('is told that it lapsed', async () => {
    const { prompt } = await asked('multi_question').within(30);
    const stop = announceChanges();
    const closed: LogEvent = { id: '999', body: { event: 'userPromptClosed', data: { messageId: prompt.messageId, outcome: 'expired', at: NOW } } };
    act(() => setState({ conversation: reduce(getState().conversation, closed) }));
    stop();
    expect(said().text).toBe('No answer in time; nothing was done');
  });
});
