/** The routes of the page of administrators, and their shapes. */

import type { PromptOutcome, ProjectId, Timestamp, UserPrompt } from '../protocol/generated';
import type { BlockedInput, ServerHealth } from './api';
import { ask, askJson } from './http';

export type Role = 'user' | 'admin';

export interface Person {
  id: string;
  name: string;
  login: string;
  email?: string;
  role: Role;
  created_at: Timestamp;
  /** Since when they are shut out. */
  disabled_at?: Timestamp;
  last_seen_at?: Timestamp;
  /** The login provider that says their role. */
  provider?: string;
  /** Roles for prompts that name who answers them. */
  roles: string[];
}

/** The people of the tenant, and the roles that there are. */
export interface PeopleList {
  people: Person[];
  roles: string[];
}

export interface Invitation {
  /** It works once, and is shown only here. */
  link: string;
  role: Role;
  expires_at: Timestamp;
}

export interface ApiKey {
  id: string;
  name: string;
  role: Role;
  person?: { id: string; name: string };
  created_at?: Timestamp;
  last_used_at?: Timestamp;
  revoked_at?: Timestamp;
  /** Whether it is that of the environment, which can only be changed there. */
  from_environment: boolean;
}

export interface MadeKey {
  id: string;
  name: string;
  role: Role;
  /** It is shown only here. */
  key: string;
}

export interface WaitingPrompt {
  id: string;
  project: ProjectId;
  /** Who asks: `approval`, `agent`, or `mcp:<server>`. */
  origin: string;
  opened_at: Timestamp;
  expires_at?: Timestamp;
  turn_waits: boolean;
  person_name?: string;
  /** What is asked, and where, if it is for the reader. */
  content?: { conversation_id: string; title: string; prompt: UserPrompt };
}

export interface Decision {
  id: string;
  at: Timestamp;
  project: ProjectId;
  origin: string;
  outcome: PromptOutcome;
  answered_by?: string;
  server?: string;
  tool?: string;
  edited: boolean;
  remembered: boolean;
  /** What was asked and answered, if it is for the reader. */
  content?: DecisionContent;
}

export interface DecisionContent {
  conversation_id: string;
  question: string;
  response?: unknown;
  reason?: string;
  arguments?: unknown;
  proposed?: unknown;
}

export interface DecisionSearch {
  q: string;
  tool: string;
  person: string;
  outcome: PromptOutcome | '';
  /** Days, as a date field has them. */
  from: string;
  to: string;
}

export interface AdminAct {
  id: string;
  at: Timestamp;
  name: string;
  act: string;
  subject_name: string;
}

export interface ServerOutput {
  running_calls: number;
  lines: { at: Timestamp; text: string }[];
}

export interface UsageFigures {
  turns: number;
  failed: number;
  stopped: number;
  interrupted: number;
  tokens: number;
  cost_usd: number;
  first_p50_ms?: number;
  first_p95_ms?: number;
  turn_p50_ms?: number;
  turn_p95_ms?: number;
}

export type UsagePoint = UsageFigures & { at: Timestamp };

export interface Usage {
  step_seconds: number;
  points: UsagePoint[];
  total: UsageFigures;
  errors: { code: string; count: number }[];
  projects: (UsageFigures & { id: ProjectId; name: string })[];
}

export type Days = 1 | 7 | 30 | 90;

export interface ConfigurationValue {
  key: string;
  value: unknown;
  source: 'default' | 'file' | 'environment' | 'flag';
  place?: string;
}

export interface Configuration {
  /** All of it, or the section of the tenant. */
  scope: 'server' | 'tenant';
  values: ConfigurationValue[];
}

/** A page of a list. */
export interface Page<Row> {
  rows: Row[];
  next: string | null;
}

type Signal = AbortSignal;

const path = (...parts: string[]) => `/api/${parts.map(encodeURIComponent).join('/')}`;

export const people = (signal: Signal) => askJson<PeopleList>(path('people'), { signal });
export const invite = (role: Role) => askJson<Invitation>(path('people', 'invitations'), { method: 'POST', json: { role } });
export const changePerson = (id: string, change: { disabled?: boolean; role?: Role; roles?: string[] }) =>
  askJson<Person>(path('people', id), { method: 'PATCH', json: change });
export const endSessionsOf = (id: string) => ask(path('people', id, 'sessions'), { method: 'DELETE' });

export const keys = async (signal: Signal) => (await askJson<{ keys: ApiKey[] }>(path('admin', 'keys'), { signal })).keys;
export const createKey = (key: { name: string; role: Role; own: boolean }) =>
  askJson<MadeKey>(path('admin', 'keys'), { method: 'POST', json: key });
export const revokeKey = (id: string) => ask(path('admin', 'keys', id), { method: 'DELETE' });

async function page<Row>(address: string, list: string, before: string | null, signal: Signal): Promise<Page<Row>> {
  const at = before === null ? address : `${address}${address.includes('?') ? '&' : '?'}before=${encodeURIComponent(before)}`;
  const { next_before: next, ...answer } = await askJson<{ next_before?: string } & Record<string, unknown>>(at, { signal });
  return { rows: (answer[list] ?? []) as Row[], next: next ?? null };
}

export const waitingPrompts = (before: string | null, signal: Signal) => page<WaitingPrompt>(path('admin', 'prompts'), 'prompts', before, signal);
export const blockedInputs = (before: string | null, signal: Signal) => page<BlockedInput>(path('admin', 'blocked-inputs'), 'blocked_inputs', before, signal);
export const acts = (before: string | null, signal: Signal) => page<AdminAct>(path('admin', 'acts'), 'acts', before, signal);

/** What is searched for, as the address has it. Days are those of the reader. */
export function searchQuery(search: DecisionSearch): string {
  const parameters = new URLSearchParams();
  for (const name of ['q', 'tool', 'person', 'outcome'] as const) {
    if (search[name].trim() !== '') parameters.set(name, search[name].trim());
  }
  const day = (text: string, later: number) => {
    const [year, month, date] = text.split('-').map(Number);
    return year && month && date ? String(new Date(year, month - 1, date + later).getTime()) : null;
  };
  const [from, to] = [day(search.from, 0), day(search.to, 1)];
  if (from !== null) parameters.set('from', from);
  if (to !== null) parameters.set('to', to);
  return parameters.toString();
}

export function decisions(search: DecisionSearch, before: string | null, signal: Signal): Promise<Page<Decision>> {
  const query = searchQuery(search);
  return page<Decision>(`${path('admin', 'decisions')}${query && `?${query}`}`, 'decisions', before, signal);
}

export function decisionsFile(search: DecisionSearch, format: 'csv' | 'json'): string {
  const query = searchQuery(search);
  return `${path('admin', 'decisions', 'export')}?format=${format}${query && `&${query}`}`;
}

export const restartServer = (project: string, server: string) =>
  askJson<ServerHealth>(path('admin', 'mcp', project, server, 'restart'), { method: 'POST' });
export const serverOutput = (project: string, server: string, signal: Signal) =>
  askJson<ServerOutput>(path('admin', 'mcp', project, server, 'output'), { signal });

export const usage = (days: Days, signal: Signal) =>
  askJson<Usage>(`${path('admin', 'usage')}?days=${days}&utc_offset_minutes=${-new Date().getTimezoneOffset()}`, { signal });

export const configuration = (signal: Signal) => askJson<Configuration>(path('admin', 'configuration'), { signal });
