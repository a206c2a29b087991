/** Requests to the server, and one error type for all that can go wrong with them. */

import { EMBEDDING } from '../browser/embedded';
import type { ErrorCode, FieldProblem, SpentBudget } from '../protocol/generated';
import { noteServerTime } from './clock';

/** Why a request failed. Texts are chosen by `code`. */
export class Refusal extends Error {
  readonly code: ErrorCode | 'offline';
  readonly status: number;
  readonly retryAfter: number | null;
  readonly promptId: string | null;
  readonly problems: readonly FieldProblem[];
  readonly budget: SpentBudget | null;

  constructor(
    code: ErrorCode | 'offline',
    message: string,
    more: { status?: number; retryAfter?: number | null; promptId?: string | null; problems?: FieldProblem[]; budget?: SpentBudget | null } = {},
  ) {
    super(message);
    this.code = code;
    this.status = more.status ?? 0;
    this.retryAfter = more.retryAfter ?? null;
    this.promptId = more.promptId ?? null;
    this.problems = more.problems ?? [];
    this.budget = more.budget ?? null;
  }
}

export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('offline', error instanceof Error ? error.message : String(error));
}

type Ask = Omit<RequestInit, 'body'> & {
  json?: unknown;
  body?: Blob;
  /** Whether it is the request for a session itself: a refusal ends nothing. */
  entering?: boolean;
};

/** What happens when the session has ended; see `onLoggedOut`. */
let leave = () => window.location.assign('/login');

export function onLoggedOut(handler: () => void): void {
  leave = handler;
}

/** The session of a visitor, inside a page of another site; nothing is kept of it but this. */
let bearer: string | null = null;
/** Gets another session; false if there is none to be had. */
let renew: (() => Promise<boolean>) | null = null;

/** Who makes the requests from now on, where there are no cookies. */
export function actAs(session: string | null, renewal: (() => Promise<boolean>) | null): void {
  bearer = session;
  renew = renewal;
}

/** From now on a session that has ended stays so. */
export function stopRenewing(): void {
  renew = null;
}

let reachable = true;
const waiting = new Set<() => void>();

/** Calls a handler whenever the server answers again after a network error. */
export function onBackOnline(handler: () => void): () => void {
  waiting.add(handler);
  return () => void waiting.delete(handler);
}

function reached(now: boolean): void {
  const again = now && !reachable;
  reachable = now;
  if (again) for (const handler of waiting) handler();
}

/** Rejects with a {@link Refusal} unless the status is a success. */
export async function ask(path: string, init: Ask = {}): Promise<Response> {
  const response = await sent(path, init);
  if (response.ok) return response;
  const renews = response.status === 401 && renew !== null && !init.entering;
  const again = renews && (await renew?.()) ? await sent(path, init) : response;
  if (again.ok) return again;
  if (again.status === 401 && !init.entering) leave();
  throw await refusalOf(again);
}

async function sent(path: string, { json, body: file, entering: _entering, ...init }: Ask): Promise<Response> {
  const headers = new Headers(init.headers);
  if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`);
  if (json !== undefined) headers.set('content-type', 'application/json');
  const body = json === undefined ? file : JSON.stringify(json);
  let response: Response;
  try {
    // Whoever is logged in to Parlor in this browser is not the visitor of a site.
    const credentials = EMBEDDING ? 'omit' : 'same-origin';
    response = await fetch(path, { credentials, ...init, headers, body });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reached(false);
    throw asRefusal(error);
  }
  reached(true);
  noteServerTime(response.headers.get('date'));
  return response;
}

export async function askJson<T>(path: string, init: Ask = {}): Promise<T> {
  const response = await ask(path, init);
  return (await response.json()) as T;
}

async function refusalOf(response: Response): Promise<Refusal> {
  const { status } = response;
  const error = await errorIn(response);
  const retryAfter = error.retry_after ?? Number(response.headers.get('retry-after') ?? NaN);
  return new Refusal(error.code ?? codeOf(status), error.message ?? response.statusText, {
    status,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    promptId: error.prompt_id ?? null,
    problems: Array.isArray(error.problems) ? error.problems : [],
    budget: error.budget ?? null,
  });
}

interface ErrorFields {
  code?: ErrorCode;
  message?: string;
  retry_after?: number;
  prompt_id?: string;
  problems?: FieldProblem[];
  budget?: SpentBudget;
}

async function errorIn(response: Response): Promise<ErrorFields> {
  try {
    const body = (await response.json()) as { error?: ErrorFields };
    return body.error ?? {};
  } catch {
    return {};
  }
}

/** The code for an error page of somebody else, such as a proxy. */
function codeOf(status: number): ErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limited';
  if (status === 502 || status === 503 || status === 504) return 'unavailable';
  return status >= 500 ? 'internal' : 'malformed';
}
