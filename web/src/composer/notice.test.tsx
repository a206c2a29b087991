// @vitest-environment jsdom

import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';

import { useLanguage } from '../i18n/language';
import { Refusal } from '../net/http';
import { getState, INITIAL, setState } from '../state/store';
import { ComposerNotice } from './ComposerNotice';

afterEach(() => vi.useRealTimers());

/** W-4: how long to wait is counted down, and then there is nothing to wait for. */
it('the seconds to wait are counted down', () => {
  vi.useFakeTimers();
  useLanguage.setState({ language: 'en' });
  const refusal = new Refusal('rate_limited', '', { retryAfter: 3 });
  setState({ ...INITIAL, notice: { refusal, at: Date.now() } }, true);
  render(<ComposerNotice missing={[]} waiting={null} tried={null} />);
  const shown = () => screen.getByRole('alert').querySelector('[aria-hidden=true].tabular')?.textContent;
  const heard = screen.getByRole('alert').querySelector('.sr-only')?.textContent;
  expect(shown()).toMatch(/Try again in 3 seconds/);
  act(() => void vi.advanceTimersByTime(1_250));
  expect(shown()).toMatch(/Try again in 2 seconds/);
  expect(screen.getByRole('alert').querySelector('.sr-only')?.textContent, 'who listens is not told every second').toBe(heard);
  act(() => void vi.advanceTimersByTime(2_000));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(getState().notice).toBeNull();
});
