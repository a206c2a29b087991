/** Logins to tool servers that each person makes for themselves. */

import type { Timestamp } from '../protocol/generated';
import { loginPage } from './api';
import { ask, askJson } from './http';

/** `no_account`: the shared account cannot log in. */
export type OwnLoginState = 'needed' | 'more_needed' | 'logged_in' | 'no_account';

/** A server that each person logs in to, and how one stands with it. */
export interface OwnLogin {
  project: string;
  server: string;
  state: OwnLoginState;
  since?: Timestamp;
}

/** Somebody who is logged in, for administrators. */
export interface PersonLogin {
  person: string;
  name: string;
  state: OwnLoginState;
  since: Timestamp;
}

const ownPath = (project: string, server: string) => `/api/me/mcp-logins/${encodeURIComponent(project)}/${encodeURIComponent(server)}`;
const allPath = (project: string, server: string) => `/api/admin/mcp/${encodeURIComponent(project)}/${encodeURIComponent(server)}/logins`;

export const ownLogins = async () => (await askJson<{ servers: OwnLogin[] }>('/api/me/mcp-logins')).servers;

/** The address of the page on which to log in. */
export const beginOwnLogin = (project: string, server: string) => loginPage(ownPath(project, server));

export const logOut = (project: string, server: string) => ask(ownPath(project, server), { method: 'DELETE' });

export const personLogins = (project: string, server: string, signal: AbortSignal) =>
  askJson<{ logins: PersonLogin[]; connected: number }>(allPath(project, server), { signal });

export const endPersonLogin = (project: string, server: string, person: string) =>
  ask(`${allPath(project, server)}/${encodeURIComponent(person)}`, { method: 'DELETE' });
