// @vitest-environment jsdom

import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import type { LogEvent } from '../net/decode';
import type { Message, ToolProgress, UserPrompt } from '../protocol/generated';
import { setState } from '../state/store';
import { recording } from '../testing/recordings';
import { renderRecording, recordRequests, threadWith } from '../testing/render';

const user = userEvent.setup({ delay: null });

afterEach(() => vi.unstubAllGlobals());

const button = (name: string | RegExp) => screen.getByRole('button', { name });

describe('messages', () => {
  /** U-1, T-6: collapsed, with what it found on one line. */
  it('a tool result is collapsed, and unfolds', async () => {
    await renderRecording('list');
    const line = button(/6 recipes found/);
    expect(line.getAttribute('aria-expanded')).toBe('false');
    expect(screen.queryByText(/Tomato Soup",/)).toBeNull();
    await user.click(line);
    expect(screen.getByLabelText('Result').textContent).toContain('"title": "Tomato Soup"');
  });

  /** U-5: pictures that a tool gave back are shown, without unfolding anything. */
  it('a tool result shows its pictures', async () => {
    const events = recording('list').map((one) => {
      if (one.body.event !== 'message' || one.body.data.message_type !== 'tool_result') return one;
      const images = [{ id: 'one', media_type: 'image/png' }, { id: '../two', media_type: 'image/png' }, { id: 3 }];
      return { ...one, body: { ...one.body, data: { ...one.body.data, metadata: { images } } } };
    });
    await renderRecording('list');
    const { container } = render(threadWith(events));
    const sources = [...container.querySelectorAll('img')].map((img) => img.getAttribute('src'));
    expect(sources).toEqual(['/api/images/one', '/api/images/..%2Ftwo']);
    expect(container.querySelector('img')?.getAttribute('alt')).toBe('Picture from a tool: list_recipes');
  });

  /** U-2 */
  it('a tool at work says what is going on', async () => {
    const { unmount } = await renderRecording('list', 'tool_use');
    expect(screen.getByText('Searching recipes…')).toBeDefined();
    unmount();
    await renderRecording('list', 'tool_use', 'pt');
    expect(screen.getByText('Procurando receitas…')).toBeDefined();
  });

  /** M-3, U-2: live events have no id; the newest report counts, and goes with the call. */
  it('a tool at work shows how far it is', () => {
    useLanguage.setState({ language: 'en' });
    const events = recording('list');
    const at = events.findIndex((one) => one.body.event === 'tool_use' && one.body.data.status === 'running');
    const running = events[at];
    if (running?.body.event !== 'tool_use') throw new Error('no tool runs');
    const { data } = running.body;
    const report = (progress: ToolProgress) => ({ id: null, body: { event: 'tool_use' as const, data: { ...data, progress } } });
    const reports = [report({ done: 1 }), report({ done: 1200, total: 5000, message: 'Reading page 3' })];
    const { rerender } = render(threadWith([...events.slice(0, at + 1), ...reports]));
    const bar = screen.getByRole('progressbar', { name: 'Progress' });
    expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual(['1200', '5000']);
    expect(screen.getByText('1,200 of 5,000')).toBeDefined();
    expect(screen.getByText('Reading page 3')).toBeDefined();
    rerender(threadWith([...events.slice(0, at + 1), ...reports, ...events.slice(at + 1)]));
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  it('several tools are one line', async () => {
    await renderRecording('plan');
    const line = button(/2 steps/);
    await user.click(line);
    expect(screen.getAllByLabelText('Result')).toHaveLength(2);
  });

  /** U-1, U-3: red, what to do, try again. */
  it('an error says what to do and offers to try again', async () => {
    const heard = recordRequests();
    await renderRecording('error');
    expect(screen.getByRole('heading', { name: 'That did not work' }).closest('section')?.dataset['card']).toBe('critical');
    await user.click(button('Details'));
    expect(screen.getByText('The model is overloaded. Try again in a moment.')).toBeDefined();
    await user.click(button('Try again'));
    expect(heard[0]).toMatchObject({ path: '/api/chat', body: { message: 'What is the weather?', retry_of: expect.any(String) as unknown } });
  });

  /** U-3: what trying again cannot mend says who can. */
  it.each([
    ['administrator', /An administrator can mend it/],
    ['new_conversation', /too long for the agent/],
    ['rephrase', /Put it another way/],
    ['another_picture', /left out from now on/],
    ['something newer', /The details say why/],
  ])('an error that stays says what helps: %s', async (remedy, words) => {
    const { rerender } = await renderRecording('error');
    const events = recording('error').map((event) => structuredClone(event));
    for (const { body } of events) {
      if (body.event === 'message' && body.data.message_type === 'error') Object.assign(body.data.metadata, { recoverable: false, remedy });
      if (body.event === 'error') body.data.recoverable = false;
    }
    act(() => rerender(threadWith(events)));
    expect(screen.getByText(words)).toBeDefined();
    expect(screen.queryByText(/Trying again may help/)).toBeNull();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('thinking is an indicator that unfolds', async () => {
    await renderRecording('thinking', 'thinking');
    await user.click(button('Thinking it over…'));
    expect(screen.getByText('The person a')).toBeDefined();
  });

  /** The server has one language: what was clicked is said in the reader's, what was typed is left alone. */
  it('an answer is in the words of its button, or in those that were typed', async () => {
    const { unmount } = await renderRecording('plan', undefined, 'pt');
    expect(screen.getByText('Executar plano').closest('article')).not.toBeNull();
    expect(screen.queryByText(/Execute plan/)).toBeNull();
    unmount();
    const { rerender } = await renderRecording('input', 'userPrompt', 'pt');
    const asked = recording('input').filter(({ id }) => Number.parseInt(id ?? '', 10) <= 5);
    const first = asked.find(({ body }) => body.event === 'message')!.body.data as Message;
    const answers = (asked.at(-1)!.body.data as UserPrompt).messageId;
    const typed: LogEvent[] = [
      { id: '6', body: { event: 'userPromptClosed', data: { messageId: answers, outcome: 'answered', response: 'yes', at: 1 } } },
      { id: '7', body: { event: 'message', data: { ...first, id: 'answer', content: 'yes', metadata: { answers } } } },
    ];
    act(() => rerender(threadWith([...asked, ...typed])));
    expect(screen.getByText('yes').closest('article')).not.toBeNull();
  });

  /** P-9 */
  it('a question that ends with its agent says so, in both languages', async () => {
    for (const [language, said] of [['en', /lapses if the agent stops/], ['pt', /expira se o agente parar/]] as const) {
      const { rerender, unmount } = await renderRecording('approval', 'userPrompt', language);
      expect(screen.queryByText(said)).toBeNull();
      const at = recording('approval').findIndex(({ body }) => body.event === 'userPrompt');
      const events = recording('approval').slice(0, at + 1);
      const prompt = { ...(events[at]!.body.data as UserPrompt), ends_with_agent: true };
      events[at] = { ...events[at]!, body: { event: 'userPrompt', data: prompt } };
      act(() => rerender(threadWith(events)));
      expect(screen.getByText(said)).toBeDefined();
      const closed: LogEvent = { id: '99', body: { event: 'userPromptClosed', data: { messageId: prompt.messageId, outcome: 'expired', at: 1 } } };
      act(() => rerender(threadWith([...events, closed])));
      expect(screen.getByText(language === 'en' ? /agent stopped before an answer/ : /agente parou antes da resposta/)).toBeDefined();
      unmount();
    }
  });

  /** B-3 */
  it('what is not proven says so, in both languages', async () => {
    for (const [language, said] of [['en', /not proven/], ['pt', /Não há prova/]] as const) {
      const { rerender, unmount } = await renderRecording('approval', 'userPrompt', language);
      expect(screen.queryByText(said)).toBeNull();
      const at = recording('approval').findIndex(({ body }) => body.event === 'userPrompt');
      const events = recording('approval').slice(0, at + 1);
      const prompt: UserPrompt = { ...(events[at]!.body.data as UserPrompt), caveats: ['edits_are_refusals', 'not_proven'] };
      events[at] = { ...events[at]!, body: { event: 'userPrompt', data: prompt } };
      act(() => rerender(threadWith(events)));
      expect(screen.getByText(said)).toBeDefined();
      unmount();
    }
  });

  /** T-7 */
  it('an unknown type is text', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await renderRecording('unknown');
    expect(screen.getByText('A chart of last week, in words: it went up.')).toBeDefined();
  });

  it('a stopped turn says so, and can be tried again', async () => {
    await renderRecording('stopped', undefined, 'pt');
    expect(screen.getByText('Interrompido')).toBeDefined();
    expect(button('Tentar de novo')).toBeDefined();
  });

  /** B-1 */
  it('what nobody asked for says so, in both languages', async () => {
    const { unmount } = await renderRecording('agent_initiated');
    expect(screen.getByText(/goes on by itself/)).toBeDefined();
    expect(screen.getByText('And one more thing.')).toBeDefined();
    unmount();
    await renderRecording('agent_initiated', 'queued', 'pt');
    expect(screen.getByText(/assim que houver lugar/)).toBeDefined();
  });

  /** H-3 */
  it('a model that declined is no answer, in both languages', async () => {
    const { container, unmount } = await renderRecording('declined');
    expect(screen.getByText('What was written here was withheld.')).toBeDefined();
    expect(screen.getByText(/The agent declined to answer this/)).toBeDefined();
    expect(container.textContent).not.toMatch(/First, take|A bad idea/);
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    unmount();
    await renderRecording('declined', undefined, 'pt');
    expect(screen.getByText(/preferiu não responder/)).toBeDefined();
  });

  it('a question without a prompt is answered by saying its option', async () => {
    const heard = recordRequests();
    await renderRecording('question', 3);
    expect(button(/Cookies/)).toHaveProperty('disabled', true);
    act(() => setState(({ conversation }) => ({ conversation: { ...conversation, turn: null } })));
    await user.click(button(/Cookies/));
    expect(heard[0]).toMatchObject({ path: '/api/chat', body: { message: 'Cookies' } });
  });

  /** FAULTS 26 */
  it('nothing hostile becomes markup, wherever it stands', async () => {
    const { container } = await renderRecording('hostile', 'userPrompt');
    await user.click(button(/<script>window/));
    expect(container.querySelectorAll('script, iframe, img, a[href^="javascript"], [onerror], [onload], [onmouseover]')).toHaveLength(0);
    expect(screen.getByRole('heading', { name: '<img src=x onerror=window.pwned=1>' })).toBeDefined();
  });
});
