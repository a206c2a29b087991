// @vitest-environment jsdom

import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { i18n } from '../i18n';
import { useLanguage } from '../i18n/language';
import type { ConversationSummary } from '../net/api';
import { useSettings } from '../state/settings';
import { getState, INITIAL, setState } from '../state/store';
import { recordRequests } from '../testing/render';
import { isKey, KEY_GROUPS, type KeyName, KEYS, type Pressed, written } from '../ui/keys';
import { commandsFor, matching } from './commands';
import KeysDialog from './KeysDialog';
import { showOverlay, useOverlay, useOverlayKeys } from './overlays';
import Palette from './Palette';
import SettingsPage from './SettingsPage';
import { useTheme } from './theme';

const user = userEvent.setup({ delay: null });

const row = (id: string, title: string): ConversationSummary => ({ id, project: 'home', title, mode: 'act', created_at: 1, updated_at: 1, running: false, visibility: 'tenant' });
const project = (id: string, name: string) => ({ id, name, on_reload: 'new' as const, recipe_vault: id === 'home', message_chars: 100 });

function begin(role: 'user' | 'admin' = 'user'): void {
  const me = { role, tenant: 't', name: 'x', default_project: 'home', projects: [project('home', 'Kitchen'), project('desk', 'Desk')], limits: {}, locale: 'en' };
  setState({ ...INITIAL, me: me as never, project: 'home', list: { rows: [row('c1', 'Supper')], name: 'current', nextBefore: null, state: 'ready' } }, true);
}

beforeEach(() => {
  window.localStorage.clear();
  useLanguage.setState({ language: 'en' });
  useSettings.setState({ density: 'comfortable', enter: 'send' });
  HTMLDialogElement.prototype.close = function (this: HTMLDialogElement) {
    this.open = false;
    fireEvent(this, new Event('close'));
  };
  begin();
  showOverlay('palette');
});
afterEach(() => {
  vi.unstubAllGlobals();
  showOverlay(null);
  window.history.replaceState(null, '', '/chat');
});

const found = () => screen.getAllByRole('option').map((one) => one.textContent);
const selected = () => screen.getAllByRole('option').find((one) => one.getAttribute('aria-selected') === 'true')?.textContent;

/** U-10 */
describe('the palette', () => {
  it('has the newest conversations, then the commands', async () => {
    recordRequests();
    setState({ list: { rows: [row('c1', 'Supper'), row('c2', 'Lunch')], name: 'current', nextBefore: null, state: 'ready' } });
    render(<Palette />);
    await waitFor(() => expect(found().slice(0, 3)).toEqual(['Supper', 'Lunch', 'New conversation']));
    expect(found()).toEqual(expect.arrayContaining(['Waiting for you', 'New conversation in Desk', 'Switch to “Plan”', 'Settings', 'Appearance: Dark', 'Language: Português', 'Keys', 'Import a recipe']));
    expect(found()).not.toContain('Administration');
    expect(selected()).toBe('Supper');
  });

  it('searches conversations on the server, and commands here, also without accents', async () => {
    const titles = [{ conversation_id: 'c9', title: { text: 'Lição de português', marks: [[9, 18]] }, archived: false, updated_at: 1 }];
    const hit = { conversation_id: 'c8', message_id: 'm1', title: 'Lunch', archived: false, role: 'user', at: 1, excerpt: { text: 'em português, please', marks: [[3, 12]] } };
    const heard = recordRequests(({ path }) => Response.json(path.includes('q=portugues') ? { titles, messages: [hit] } : { titles: [], messages: [] }));
    render(<Palette />);
    await user.type(screen.getByRole('combobox'), 'portugues');
    await waitFor(() => expect(found()).toEqual(['Language: Português', 'Lição de português', 'em português, pleaseLunch']));
    expect(screen.getAllByText('português').map((one) => one.tagName)).toEqual(['MARK', 'MARK']);
    expect(heard.some(({ path }) => path === '/api/search?q=portugues')).toBe(true);
  });

  it('is used with the keyboard', async () => {
    recordRequests(() => Response.json({ titles: [], messages: [] }));
    render(<Palette />);
    await user.type(screen.getByRole('combobox'), 'appearance');
    await waitFor(() => expect(found()).toHaveLength(3));
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
    expect(selected()).toBe('Appearance: Dark');
    expect(screen.getByRole('combobox').getAttribute('aria-activedescendant')).toBe(screen.getByRole('option', { name: 'Appearance: Dark' }).id);
    await user.keyboard('{ArrowUp}{Enter}');
    expect(useTheme.getState().theme).toBe('light');
    expect(useOverlay.getState().overlay).toBeNull();
  });

  it('opens pages, and says when nothing is found', async () => {
    recordRequests(() => Response.json({ titles: [], messages: [] }));
    render(<Palette />);
    await user.type(screen.getByRole('combobox'), 'xyzzy');
    expect(await screen.findByText('Nothing found.')).toBeDefined();
    await user.keyboard('{Enter}');
    expect(useOverlay.getState().overlay).toBe('palette');
    await user.clear(screen.getByRole('combobox'));
    await user.type(screen.getByRole('combobox'), 'settings{Enter}');
    expect([getState().page, window.location.pathname]).toEqual(['settings', '/settings']);
  });

  it('has what an administrator has, in both languages', () => {
    begin('admin');
    const labels = (language: 'en' | 'pt') => commandsFor(i18n(language), getState()).map(({ label }) => label);
    expect(labels('en')).toContain('Administration');
    expect(labels('pt')).toContain('Administração');
    const idioma = matching(commandsFor(i18n('en'), getState()), 'idioma');
    expect(idioma.map(({ label }) => label), 'found by its own words').toEqual(['Language: Português']);
  });
});

const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

describe('the keys', () => {
  it('are in one table, and every one is listed', () => {
    const listed = KEY_GROUPS.flatMap(({ names }) => names);
    expect([...listed].sort()).toEqual((Object.keys(KEYS) as KeyName[]).sort());
    expect(written('palette', false)).toEqual(['Ctrl', 'K']);
    expect(written('palette', true)).toEqual(['⌘', 'K']);
  });

  it('are what they are said to be', () => {
    expect(isKey(press('K', { metaKey: true }), 'palette')).toBe(true);
    expect(isKey(press('k', { ctrlKey: true }), 'palette')).toBe(true);
    expect(isKey(press('k'), 'palette')).toBe(false);
    expect(isKey(press('k', { ctrlKey: true, altKey: true }), 'palette')).toBe(false);
    expect(isKey(press('?', { shiftKey: true }), 'help')).toBe(true);
    expect(isKey(press('Enter'), 'send')).toBe(true);
    expect(isKey(press('Enter', { shiftKey: true }), 'send')).toBe(false);
    expect(isKey(press('Enter', { shiftKey: true }), 'newline')).toBe(true);
    expect(isKey(press('Enter', { ctrlKey: true }), 'send_always')).toBe(true);
    expect(isKey(press('Escape'), 'stop')).toBe(true);
  });

  it('open the palette and the list from anywhere, but a sign in a field is a sign', async () => {
    const Listening = () => (useOverlayKeys(), (<input aria-label="field" />));
    showOverlay(null);
    render(<Listening />);
    await user.keyboard('?');
    expect(useOverlay.getState().overlay).toBe('keys');
    showOverlay(null);
    await user.type(screen.getByLabelText('field'), '?');
    expect(useOverlay.getState().overlay).toBeNull();
    await user.keyboard('{Control>}k{/Control}');
    expect(useOverlay.getState().overlay).toBe('palette');
    await user.keyboard('{Control>}k{/Control}');
    expect(useOverlay.getState().overlay).toBeNull();
  });

  it('are listed as they work here', () => {
    useSettings.setState({ enter: 'newline' });
    render(<KeysDialog />);
    expect(screen.queryByText('Send')).toBeNull();
    expect(screen.getByText('New line (as Enter alone)')).toBeDefined();
    expect(screen.getByText('Send, whatever Enter does')).toBeDefined();
  });
});

/** U-10, U-4 */
describe('the settings', () => {
  it('take effect at once, and are kept', async () => {
    setState({ page: 'settings' });
    render(<SettingsPage />);
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Settings' }));
    await user.click(screen.getByRole('radio', { name: 'Compact' }));
    await user.click(screen.getByRole('radio', { name: 'makes a new line' }));
    expect(document.documentElement.dataset['density']).toBe('compact');
    expect([window.localStorage.getItem('parlor.density'), window.localStorage.getItem('parlor.enter')]).toEqual(['compact', 'newline']);
    await user.click(screen.getByRole('radio', { name: 'Português' }));
    expect(screen.getByRole('heading', { name: 'Configurações' })).toBeDefined();
    expect(screen.getByRole('radio', { name: 'quebra a linha' })).toHaveProperty('checked', true);
    await user.click(screen.getByRole('radio', { name: 'envia a mensagem' }));
    expect(window.localStorage.getItem('parlor.enter')).toBeNull();
    await user.keyboard('{Escape}');
    expect(getState().page).toBe('chat');
  });
});
