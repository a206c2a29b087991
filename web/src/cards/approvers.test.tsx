// @vitest-environment jsdom

import { render, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';

import { i18nFor } from '../i18n';
import { useLanguage } from '../i18n/language';
import type { Me, OpenPrompt } from '../net/api';
import { mayAnswer } from '../state/approvers';
import { EMPTY } from '../state/model';
import { INITIAL, setState } from '../state/store';
import { ApprovalCard } from './ApprovalCard';
import { whoMay } from './ApproversNote';

const me = (role: Me['role'], person?: Me['person']) => ({ role, person }) as Me;
const ana = { id: 'a', name: 'Ana', login: 'ana', roles: ['cook'] };
const cleo = { id: 'c', name: 'Cleo', login: 'cleo', roles: ['cook'] };

beforeEach(() => useLanguage.setState({ language: 'en' }));

function draw(who: Me, more: Partial<OpenPrompt>): void {
  const prompt: OpenPrompt = {
    type: 'userPrompt',
    promptType: 'confirm',
    messageId: 'p1',
    conversation_id: 'c1',
    question: 'Allow?',
    toolCall: { name: 'delete_recipe', input: {} },
    ...more,
  };
  setState({ ...INITIAL, me: who, conversation: { ...EMPTY, id: 'c1' } }, true);
  render(<ApprovalCard prompt={prompt} call={prompt.toolCall!} />);
}

/** Y-2: the page offers what the server would take. */
it('knows whose answer would be taken', () => {
  expect(mayAnswer(me('user', ana), undefined)).toBe(true);
  expect(mayAnswer(me('admin'), { admin: true })).toBe(true);
  expect(mayAnswer(me('user', ana), { admin: true })).toBe(false);
  expect(mayAnswer(me('user', ana), { roles: ['cook'] })).toBe(true);
  expect(mayAnswer(me('user', ana), { roles: ['cook'], other: true, asked_by: 'a' })).toBe(false);
  expect(mayAnswer(me('user', cleo), { roles: ['cook'], other: true, asked_by: 'a' })).toBe(true);
  expect(mayAnswer(me('user', cleo), { people: ['cleo'] })).toBe(true);
  expect(mayAnswer(me('user', cleo), { other: true })).toBe(false);
  expect(mayAnswer(me('admin'), { other: true, asked_by: 'a' })).toBe(false);
});

it('says in both languages who may answer', () => {
  const said = (language: 'en' | 'pt', approvers: Parameters<typeof whoMay>[1]) => whoMay(i18nFor(language), approvers);
  expect(said('en', { admin: true, roles: ['cook'], people: ['bob'] })).toBe('This can be answered by administrators, people with the role “cook”, or bob.');
  expect(said('en', { other: true, asked_by: 'a' })).toContain('anyone else');
  expect(said('en', { other: true })).toContain('shared login');
  expect(said('pt', { roles: ['cook'], other: true, asked_by: 'a' })).toBe('Quem pode responder: pessoas com o papel “cook”, mas não quem pediu.');
});

/** Y-2, U-3: who may not answer sees the card, and who may; there is nothing to press. */
it('shows a card that one may not answer', () => {
  draw(me('user', ana), { approvers: { roles: ['cook'], other: true, asked_by: 'a' } });
  expect(screen.getByText('You may not answer this.')).toBeDefined();
  expect(screen.queryByRole('button', { name: /Delete/ })).toBeNull();
  expect(screen.queryByRole('button', { name: /Don’t allow/ })).toBeNull();
});

/** Y-2: who does not see the conversation answers, and cannot change how long it waits. */
it('is answered by who does not see the conversation', () => {
  draw(me('user', cleo), { approvers: { roles: ['cook'], other: true, asked_by: 'a' }, unseen: true, expires_at: Date.now() + 60_000 });
  expect(screen.queryByText('You may not answer this.')).toBeNull();
  expect(screen.getAllByRole('button').length).toBeGreaterThan(1);
  expect(screen.queryByRole('button', { name: 'Keep waiting' })).toBeNull();
});
