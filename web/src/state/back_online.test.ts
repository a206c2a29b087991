import { afterEach, expect, it, vi } from 'vitest';

import { ask, Refusal } from '../net/http';
import { refreshWhenBackOnline } from './back_online';
import { isWriting } from './list';
import { getState, INITIAL, setState } from './store';

afterEach(() => vi.unstubAllGlobals());

/** U-3: a lost connection heals by itself, and what was said about it goes with it. */
it('what is said about a lost connection goes when it is back', async () => {
  let down = true;
  vi.stubGlobal('fetch', () => (down ? Promise.reject(new TypeError('failed')) : Promise.resolve(Response.json({ conversations: [] }))));
  const end = refreshWhenBackOnline();
  setState({ ...INITIAL, list: { ...INITIAL.list, state: 'failed' } }, true);
  const refusal = await ask('/api/me').catch((error: unknown) => error as Refusal);
  expect(refusal).toMatchObject({ code: 'offline' });
  setState({ notice: { refusal: refusal as Refusal, at: 0 } });
  down = false;
  await ask('/api/me');
  expect(getState()).toMatchObject({ notice: null, reconnects: 1 });
  await vi.waitFor(() => expect(getState().list.state).toBe('ready'));
  setState({ notice: { refusal: new Refusal('input_blocked', ''), at: 0 } });
  await ask('/api/me');
  expect(getState().notice, 'what is about something else stays').not.toBeNull();
  end();
});

/** A turn that waits for a person is not being written. */
it('what waits is not being written', () => {
  const row = { id: 'c1', project: 'p', title: 't', mode: 'act', visibility: 'tenant', created_at: 0, updated_at: 0, running: true } as const;
  const prompt = { type: 'userPrompt', promptType: 'confirm', messageId: 'm', conversation_id: 'c1', question: '?' } as const;
  expect(isWriting(row, [])).toBe(true);
  expect(isWriting(row, [prompt])).toBe(false);
  expect(isWriting(row, [{ ...prompt, conversation_id: 'c2' }])).toBe(true);
});
