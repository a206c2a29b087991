// @vitest-environment jsdom

import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';

import { followAccent } from '../app/accent';
import { Sidebar } from '../app/Sidebar';
import { useLanguage } from '../i18n/language';
import type { Look } from '../net/api';
import { INITIAL, setState } from '../state/store';
import { flushPromises, recordRequests } from '../testing/render';
import { EmptyState } from './EmptyState';

const user = userEvent.setup({ delay: null });

afterEach(() => vi.unstubAllGlobals());

function begin(look: Look | undefined, language: 'en' | 'pt' = 'en'): void {
  useLanguage.setState({ language });
  const project = (id: string, own?: Look) => ({ id, name: `The ${id}`, on_reload: 'new', recipe_vault: true, message_chars: 100, ...(own ? { look: own } : {}) });
  const me = { role: 'user', tenant: 't', name: 'x', default_project: 'desk', projects: [project('desk', look), project('plain')], limits: {}, locale: 'en' };
  setState({ ...INITIAL, me: me as never, project: 'desk' }, true);
}

const LOOK: Look = {
  greeting: { en: 'Good day', pt: 'Bom dia' },
  suggestions: [{ text: { en: 'Plan the week', pt: 'Planeje a semana' }, hint: { en: 'Seven dinners', pt: 'Sete jantares' }, mode: 'plan' }],
  logo: '/api/projects/desk/logo',
  accent: { light: '#7a2f6a', dark: '#e3a6d3' },
};

/** U-10: a project says hello in its own words, in the reader's language. */
it('a project has a greeting and suggestions of its own', async () => {
  const heard = recordRequests();
  begin(LOOK, 'pt');
  render(<EmptyState />);
  expect(screen.getByRole('heading', { name: 'Bom dia' })).toBeDefined();
  expect(screen.queryByText('O que há na lista')).toBeNull();
  await user.click(screen.getByRole('button', { name: /Planeje a semana/ }));
  await flushPromises();
  expect(heard.find(({ path }) => path === '/api/chat')?.body).toMatchObject({ message: 'Planeje a semana', mode: 'plan', project: 'desk' });
});

it('what is not configured looks as always', () => {
  begin(undefined);
  render(<EmptyState />);
  expect(screen.getByRole('heading', { name: 'What can I do for you?' })).toBeDefined();
  expect(screen.getByRole('button', { name: /What recipes do I have/ })).toBeDefined();
});

it('a project has a name, a logo and an accent', () => {
  begin(LOOK);
  const stop = followAccent();
  render(<Sidebar chosen={() => undefined} />);
  expect(screen.getByText('The desk')).toBeDefined();
  expect(document.querySelector('nav img')?.getAttribute('src')).toBe('/api/projects/desk/logo');
  const { style } = document.documentElement;
  expect([style.getPropertyValue('--project-accent-light'), style.getPropertyValue('--project-accent-dark')]).toEqual(['#7a2f6a', '#e3a6d3']);
  act(() => setState({ project: 'plain' }));
  expect(style.getPropertyValue('--project-accent-light')).toBe('');
  expect(screen.getByText('Parlor')).toBeDefined();
  stop();
});
