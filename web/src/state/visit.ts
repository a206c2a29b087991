/**
 * A visitor of a site that embeds the chat (U-12): comes in with a token of the site, gets another one before the session
 * ends, and goes on where they were. The session is in memory only.
 */

import { create } from 'zustand';

import { allowedOrigins, EMBEDDING } from '../browser/embedded';
import * as api from '../net/api';
import { serverNow } from '../net/clock';
import { actAs, asRefusal, onLoggedOut, type Refusal, stopRenewing } from '../net/http';
import { type Said, Site, type SiteLook } from '../net/site';
import * as visits from '../net/visit';
import { openPrompt } from './branches';
import { open, startNew } from './conversation';
import { refreshList, refreshWaiting } from './list';
import { getState, INITIAL, setState, useParlor } from './store';

/** `entering` until there is a session; `refused` if the site gives no token that is taken. */
export type VisitState = 'alone' | 'entering' | 'in' | 'refused' | 'out';

interface VisitStore {
  state: VisitState;
  /** Why the chat could not be loaded, if it is not for the token. */
  failure: Refusal | null;
  opened: boolean;
  look: SiteLook;
  /** The accent that the site wants, as it can be read. */
  accent: { light: string; dark: string } | null;
}

export const useVisit = create<VisitStore>(() => ({ state: 'entering', failure: null, opened: true, look: {}, accent: null }));

/** How long the site may take to give a token, in milliseconds. */
const PATIENCE = 20_000;
/** So long before its end a session is renewed, in milliseconds. */
const BEFORE_END = 5 * 60_000;
/** The least time between two attempts, in milliseconds. */
const SOON = 60_000;

let site: Site | null = null;
let waiting: ((token: string | null) => void) | null = null;
let renewing: Promise<boolean> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
/** What was there when the chat was closed. */
let seen = 0;

/** Listens to the page around this one. */
export function beginVisit(): void {
  if (site) return;
  if (window.parent === window) return useVisit.setState({ state: 'alone' });
  onLoggedOut(() => useVisit.setState(({ state }) => ({ state: state === 'out' ? state : 'refused' })));
  site = new Site(allowedOrigins(), hear);
  site.begin();
  useParlor.subscribe(() => tellUnread());
}

function hear(said: Said): void {
  switch (said.type) {
    case 'look': {
      const isFirst = Object.keys(useVisit.getState().look).length === 0;
      useVisit.setState(({ look }) => ({ look: { ...look, ...said.look } }));
      if (isFirst && useVisit.getState().state === 'entering') void enter();
      return;
    }
    case 'token':
      return waiting?.(said.token);
    case 'no-token':
      return waiting?.(null);
    case 'opened':
      useVisit.setState({ opened: true });
      return;
    case 'closed':
      seen = countOf();
      told = 0;
      useVisit.setState({ opened: false });
      return;
    case 'log-out':
      void logOut();
  }
}

export const closeChat = (): void => site?.tell('close');

/** Comes in, and shows the conversation that was open last. */
export async function enter(): Promise<void> {
  useVisit.setState({ state: 'entering', failure: null });
  if (!(await renew())) {
    clearTimeout(timer);
    return useVisit.setState({ state: 'refused' });
  }
  try {
    const me = await api.me();
    setState({ me, project: EMBEDDING?.project ?? me.default_project, failure: null });
    await Promise.all([refreshList(), refreshWaiting()]);
    const { list, waiting: prompts } = getState();
    const row = list.rows.find(({ id }) => prompts.some((prompt) => prompt.conversation_id === id)) ?? list.rows[0];
    useVisit.setState({ state: 'in' });
    if (row) await open(row.id);
    seen = countOf();
  } catch (error) {
    useVisit.setState({ state: 'refused', failure: asRefusal(error) });
  }
}

export async function logOut(): Promise<void> {
  clearTimeout(timer);
  useVisit.setState({ state: 'out' });
  stopRenewing();
  startNew();
  setState(INITIAL);
  try {
    await visits.endVisit();
  } catch {
    // It ends by itself.
  }
  actAs(null, null);
}

/** Gets a session for a token of the site; one attempt at a time. */
function renew(): Promise<boolean> {
  renewing ??= another().finally(() => (renewing = null));
  return renewing;
}

async function another(): Promise<boolean> {
  const token = await wantToken();
  if (token === null || site?.origin == null) return false;
  clearTimeout(timer);
  try {
    const visit = await visits.beginVisit(token, site.origin, useVisit.getState().look.accent);
    useVisit.setState({ accent: visit.accent ?? null });
    actAs(visit.session, renew);
    timer = setTimeout(() => void renew(), Math.max(SOON, visit.expires_at - serverNow() - BEFORE_END));
    return true;
  } catch {
    // While the session lasts nobody notices, and the next attempt may do.
    timer = setTimeout(() => void renew(), SOON);
    return false;
  }
}

function wantToken(): Promise<string | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => answered(null), PATIENCE);
    const answered = (token: string | null) => {
      clearTimeout(late);
      waiting = null;
      resolve(token);
    };
    waiting = answered;
    site?.tell('token-wanted');
  });
}

/** Messages of the agent, and what it asks. */
function countOf(): number {
  const { items } = getState().conversation;
  const said = items.filter((item) => item.kind === 'message' && !item.streaming && item.message.role !== 'user' && item.message.message_type !== 'thinking');
  return said.length + (openPrompt(getState().conversation) ? 1 : 0);
}

let told = 0;

function tellUnread(): void {
  const { opened, state } = useVisit.getState();
  const count = opened || state !== 'in' || !getState().live ? 0 : Math.max(0, countOf() - seen);
  if (count === told) return;
  told = count;
  site?.tell('unread', count);
}
