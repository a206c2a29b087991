/** What a person can do with the conversation that is open. */

import { readLocal, writeLocal } from '../browser/local_storage';
import * as api from '../net/api';
import type { LogEvent } from '../net/decode';
import { asRefusal, onLoggedOut, Refusal } from '../net/http';
import type { ChatRequest, Mode, PromptAnswer } from '../protocol/generated';
import { addressed, addressedMessage, adminTabAt, pageAt, setAddress } from './address';
import { forgetAnswerDraft } from './answer_drafts';
import { openDraftsOf } from './draft_storage';
import { isWriting, refreshList, refreshListSoon, refreshWaiting } from './list';
import { redirectToLogin } from './login';
import { EMPTY } from './model';
import { draftsMovedTo, removeReturned, restoreOutbox, returnToDraft } from './outbox';
import {
  currentDraft,
  type Draft,
  openDraftKey,
  getState,
  NO_DRAFT,
  type Outgoing,
  setDraft,
  setState,
  useParlor,
} from './store';
import { reconnect, subscribe, unsubscribe } from './subscription';

/** Delays between attempts to send a message while offline, in milliseconds. */
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000];

/** Loads the page: the session, the list, and the conversation of the address. */
export async function startPage(): Promise<void> {
  onLoggedOut(redirectToLogin);
  setState({ page: pageAt(), adminTab: adminTabAt() });
  try {
    const me = await api.me();
    setState({ me, project: me.default_project, failure: null });
    openDraftsOf(me.tenant, me.role);
    restoreOutbox();
  } catch (error) {
    return setState({ failure: asRefusal(error) });
  }
  const wanted = addressed();
  const shown = wanted === null ? null : show(wanted, addressedMessage());
  await Promise.all([refreshList(), refreshWaiting(), shown]);
  if (wanted === null && getState().page === 'chat') await offerUnfinished();
}

/** Opens what the address names, after Back or Forward. */
export function goToAddress(): void {
  const page = pageAt();
  setState({ page, adminTab: adminTabAt() });
  const wanted = addressed();
  if (page !== 'chat') return;
  if (wanted === getState().conversation.id) setState({ target: addressedMessage() });
  else if (wanted === null) leave();
  else void show(wanted, addressedMessage());
}

/** K-3: without a conversation in the address, a new one begins, and the last one is offered. */
async function offerUnfinished(): Promise<void> {
  const { list, waiting, me, conversation, outgoing } = getState();
  if (conversation.id !== null || outgoing !== null) return;
  const last = readLocal('last');
  const summary = list.rows.find((row) => row.id === last);
  const resumes = me?.projects.find((project) => project.id === summary?.project);
  if (summary && resumes?.on_reload === 'resume') {
    setAddress(summary.id, 'same');
    return show(summary.id);
  }
  const prompting = list.rows.find((row) => waiting.some((one) => one.conversation_id === row.id));
  const running = list.rows.find((row) => isWriting(row, waiting));
  if (prompting) setState({ unfinished: { summary: prompting, why: 'prompt' } });
  else if (running) setState({ unfinished: { summary: running, why: 'running' } });
  else if (summary) setState({ unfinished: { summary, why: 'last' } });
}

/** Leaves the conversation that is open; the next message begins a new one. */
export function startNew(project?: string): void {
  leave(project);
  setState({ page: 'chat' });
  setAddress(null, 'step');
}

function leave(project?: string): void {
  unsubscribe();
  const { outgoing } = getState();
  // A request in flight goes on by itself; a message that waits for a connection would be lost.
  if (outgoing && outgoing.state !== 'sending') returnToDraft(outgoing);
  setState((state) => ({
    conversation: EMPTY,
    title: null,
    mode: 'act',
    project: project ?? state.project,
    opening: 'no',
    live: true,
    connection: null,
    stopping: false,
    outgoing: null,
    notice: null,
    allowances: [],
    panel: null,
    unfinished: null,
    target: null,
  }));
}

/** Opens a conversation: its history, then its live events. A message in it is shown, if one is named. */
export async function open(id: string, message: string | null = null): Promise<void> {
  setState({ page: 'chat' });
  setAddress(id, 'step', message);
  await show(id, message);
}

async function show(id: string, message: string | null = null): Promise<void> {
  if (getState().conversation.id === id && getState().opening === 'no') return setState({ target: message });
  leave();
  const from = { ...EMPTY, id };
  setState({ conversation: from, opening: 'reading', live: false, target: message });
  try {
    const view = await api.readConversation(id);
    if (getState().conversation.id !== id) return;
    setState({ title: view.title, mode: view.mode, project: view.project });
    if (Number.parseInt(view.cursor, 10) === 0) setState({ opening: 'no', live: true });
    subscribe(from, view.cursor, onEvents);
    writeLocal('last', id);
    void refreshAllowances();
  } catch (error) {
    if (getState().conversation.id === id) setState({ opening: asRefusal(error) });
  }
}

/** The side effects of live events; the state itself is the reducer's. */
function onEvents(events: LogEvent[]): void {
  for (const { body } of events) {
    if (body.event === 'artifact') setState({ panel: body.data });
    if (body.event === 'start' || body.event === 'done') refreshListSoon();
    // What was read may suspend what is allowed.
    if (body.event === 'done' && getState().allowances.length > 0) void refreshAllowances();
    if (body.event === 'userPromptClosed') forgetAnswerDraft(body.data.messageId);
    if (body.event === 'userPrompt' || body.event === 'userPromptClosed') {
      void refreshWaiting();
      void refreshAllowances();
    }
  }
}

/** Sends what is in the composer. */
export async function send(): Promise<void> {
  const draft = currentDraft(getState());
  if (draft.text.trim() === '' && draft.files.length === 0) return;
  setDraft(NO_DRAFT);
  await sendDraft(draft);
}

/** Sends text that was clicked, not typed: a suggestion, an option, the decision about a plan. */
export async function sendText(text: string, mode?: Mode): Promise<void> {
  if (mode) setState({ mode });
  await sendDraft({ text, files: [] });
}

/** F-1: stops what runs, and goes on without what was read: the agent gets this message and the person's earlier ones. */
export async function goOnWithoutRead(text: string): Promise<void> {
  await stop();
  if (await turnEnded()) await sendDraft({ text, files: [] }, { clears: true });
}

/** Waits until no turn runs; false if another conversation was opened, or the turn could not be stopped. */
function turnEnded(): Promise<boolean> {
  const { id } = getState().conversation;
  const look = () => {
    const { conversation, stopping } = getState();
    if (conversation.id !== id) return false;
    if (conversation.turn === null) return true;
    return stopping ? undefined : false;
  };
  return new Promise((resolve) => {
    const known = look();
    if (known !== undefined) return resolve(known);
    const end = useParlor.subscribe(() => {
      const found = look();
      if (found === undefined) return;
      end();
      resolve(found);
    });
  });
}

/** Sends a message that is no draft of the composer any longer. */
export async function sendDraft(draft: Draft, more: Partial<Outgoing> = {}): Promise<void> {
  const outgoing: Outgoing = {
    ...draft,
    clientId: newClientMessageId(),
    draftKey: openDraftKey(getState()),
    state: 'sending',
    messageId: null,
    retryOf: null,
    ...more,
  };
  setState({ outgoing, notice: null, unfinished: null });
  await deliver(outgoing);
}

/** Retries a message under the same client id, so that it arrives once (H-5). */
export async function resend(): Promise<void> {
  const { outgoing } = getState();
  if (outgoing?.state !== 'failed') return;
  setState({ outgoing: { ...outgoing, state: 'sending' } });
  await deliver(outgoing);
}

/** Returns a message that was not delivered to the composer. */
export function editUndelivered(): void {
  const { outgoing } = getState();
  if (!outgoing) return;
  returnToDraft(outgoing);
  setState({ outgoing: null });
}

async function deliver(outgoing: Outgoing): Promise<void> {
  const mine = () => getState().outgoing?.clientId === outgoing.clientId;
  for (const pause of [...PAUSES, null]) {
    try {
      const start = await api.sendMessage(requestFor(outgoing));
      if (mine()) acknowledged(outgoing, start);
      else removeReturned(outgoing);
      return refreshListSoon();
    } catch (error) {
      const refusal = asRefusal(error);
      if (!mine()) return returnToDraft(outgoing);
      if (refusal.code !== 'offline') return refused(outgoing, refusal);
      if (pause === null) break;
      setState({ outgoing: { ...outgoing, state: 'waiting' } });
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (!mine()) return;
    }
  }
  setState({ outgoing: { ...outgoing, state: 'failed' } });
}

function requestFor(outgoing: Outgoing): ChatRequest {
  const { conversation, project, mode } = getState();
  const at = conversation.id === null ? (project === null ? {} : { project }) : { conversation_id: conversation.id };
  const { text, files, clientId, retryOf, clears, inPlaceOf, withoutFiles } = outgoing;
  if (inPlaceOf?.how === 'regenerate') {
    return { message: '', mode, client_message_id: clientId, ...at, regenerate: inPlaceOf.message };
  }
  return {
    message: text,
    mode,
    client_message_id: clientId,
    ...at,
    ...(files.length > 0 ? { files: files.map(({ name, data, mediaType }) => ({ name, data, media_type: mediaType })) } : {}),
    ...(retryOf ? { retry_of: retryOf } : {}),
    ...(clears ? { clear_context: true } : {}),
    ...(inPlaceOf ? { edit_of: inPlaceOf.message } : {}),
    ...(withoutFiles ? { image: null, files: [] } : {}),
  };
}

function acknowledged(outgoing: Outgoing, start: { conversation_id: string; message_id: string }): void {
  const { conversation } = getState();
  const arrived = conversation.items.some((item) => item.key === start.message_id);
  setState({
    outgoing: arrived ? null : { ...outgoing, state: 'sending', messageId: start.message_id },
  });
  writeLocal('last', start.conversation_id);
  if (conversation.id === null) {
    setAddress(start.conversation_id, 'same');
    const from = { ...EMPTY, id: start.conversation_id };
    setState((state) => ({ conversation: from, title: titleOf(outgoing.text), drafts: draftsMovedTo(start.conversation_id, state) }));
    subscribe(from, null, onEvents);
  } else {
    reconnect();
  }
}

/** The title until the server's is known. */
const titleOf = (text: string) => text.trim().split('\n')[0]?.slice(0, 60) || '…';

/** Returns what was refused to its draft; what the server could not handle can be retried. */
function refused(outgoing: Outgoing, refusal: Refusal): void {
  if (refusal.code === 'internal' || refusal.code === 'unavailable') {
    return setState({ outgoing: { ...outgoing, state: 'failed' } });
  }
  returnToDraft(outgoing);
  setState({ outgoing: null, notice: { refusal, at: Date.now() } });
}

/** Only letters, digits, '-': see `ClientMessageId`. */
function newClientMessageId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  // Over plain HTTP on a local network there is no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** H-6: what was said so far is kept. */
export async function stop(): Promise<void> {
  const { conversation, stopping } = getState();
  if (conversation.id === null || conversation.turn === null || stopping) return;
  setState({ stopping: true });
  try {
    await api.stopTurn(conversation.id);
  } catch (error) {
    setState({ stopping: false, notice: { refusal: asRefusal(error), at: Date.now() } });
  }
}

export async function setMode(mode: Mode): Promise<void> {
  const { conversation, mode: before } = getState();
  setState({ mode });
  if (conversation.id === null) return;
  try {
    await api.changeConversation(conversation.id, { mode });
  } catch (error) {
    setState({ mode: before, notice: { refusal: asRefusal(error), at: Date.now() } });
  }
}

/** Answers a prompt. The outcome comes over the stream. */
export async function answer(id: string, given: PromptAnswer): Promise<Refusal | null> {
  try {
    await api.answerPrompt(id, given);
    forgetAnswerDraft(id);
    if (isHere(id)) {
      if (given.response === 'execute') setState({ mode: 'act' });
      setState({ notice: null });
      reconnect();
    } else {
      void refreshWaiting();
    }
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

/** Whether a prompt is of the conversation that is open, whose stream tells what becomes of it. */
const isHere = (id: string) => getState().conversation.items.some((item) => item.kind === 'prompt' && item.prompt.messageId === id);

/** P-4: removes the deadline of a prompt. */
export async function keepWaiting(id: string): Promise<Refusal | null> {
  try {
    await api.extendPrompt(id, 0);
    if (!isHere(id)) void refreshWaiting();
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

/** P-11: the allowances of the conversation are shown, and can be revoked. */
export async function refreshAllowances(): Promise<void> {
  const { id } = getState().conversation;
  if (id === null) return;
  try {
    const allowances = await api.allowances(id);
    if (getState().conversation.id === id) setState({ allowances });
  } catch {
    setState({ allowances: [] });
  }
}

export async function revokeAllowance(tool: string): Promise<void> {
  const { id } = getState().conversation;
  if (id === null) return;
  try {
    await api.revokeAllowance(id, tool);
  } catch (error) {
    setState({ notice: { refusal: asRefusal(error), at: Date.now() } });
  }
  await refreshAllowances();
}
