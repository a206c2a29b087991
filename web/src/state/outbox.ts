/**
 * Messages that were typed and did not go out. They are kept as drafts of their
 * conversation, also while they are on their way: a reload, a login or another
 * conversation in between loses none.
 */

import { isFields } from '../net/decode';
import { draftsUnder, saveDraft } from './draft_storage';
import { type Draft, draftOf, NO_DRAFT, type Outgoing, type ParlorState, setState, useParlor } from './store';

const KEPT = 'message.';

/** A picture is kept by its name alone: there is no room for more. */
interface Kept {
  text: string;
  picture: string | null;
}

function isKept(value: unknown): value is Kept {
  if (!isFields(value)) return false;
  return typeof value['text'] === 'string' && (value['picture'] === null || typeof value['picture'] === 'string');
}

/** Brings back what was kept, and keeps what is typed from now on. */
export function restoreOutbox(): void {
  const kept = Object.entries(draftsUnder(KEPT, isKept));
  const drafts = Object.fromEntries(kept.map(([place, { text, picture }]) => [place, { text, picture: null, missing: picture }]));
  setState((state) => ({ drafts: { ...drafts, ...state.drafts } }));
  unsubscribe();
  unsubscribe = useParlor.subscribe(keepWhatChanged);
}

let unsubscribe = () => undefined as void;

function keepWhatChanged(state: ParlorState, before: ParlorState): void {
  if (state.drafts === before.drafts && state.outgoing === before.outgoing) return;
  const places = [...Object.keys(state.drafts), ...Object.keys(before.drafts), state.outgoing?.place, before.outgoing?.place];
  for (const place of new Set(places)) {
    if (place === undefined) continue;
    const now = unsentAt(state, place);
    const then = unsentAt(before, place);
    if (now.text === then.text && now.picture === then.picture && now.missing === then.missing) continue;
    const kept: Kept = { text: now.text, picture: now.picture?.name ?? now.missing ?? null };
    saveDraft(KEPT + place, kept.text === '' && kept.picture === null ? null : kept);
  }
}

function unsentAt(state: ParlorState, place: string): Draft {
  const { outgoing } = state;
  const draft = draftOf(state, place);
  return outgoing?.place === place && isUndelivered(outgoing) ? joined(outgoing, draft) : draft;
}

/** Whether a message would be lost: what is tried again is in the conversation already. */
function isUndelivered({ messageId, retryOf }: Outgoing): boolean {
  return messageId === null && retryOf === null;
}

/** Each is put back once, however often it was tried. */
const returned = new Set<string>();

/** Puts a message that did not go out back where it was typed, before what was typed since. */
export function returnToDraft(outgoing: Outgoing): void {
  if (!isUndelivered(outgoing) || returned.has(outgoing.clientId)) return;
  returned.add(outgoing.clientId);
  setState((state) => {
    const draft = joined(outgoing, draftOf(state, outgoing.place));
    return { drafts: { ...state.drafts, [outgoing.place]: draft } };
  });
}

/** One that was put back has arrived after all. */
export function removeReturned(outgoing: Outgoing): void {
  if (!returned.has(outgoing.clientId)) return;
  setState((state) => {
    if (draftOf(state, outgoing.place).text !== outgoing.text) return {};
    const { [outgoing.place]: _arrived, ...drafts } = state.drafts;
    return { drafts };
  });
}

/** What was typed before a conversation had an id is its own. */
export function draftsMovedTo(id: string, { drafts }: ParlorState): ParlorState['drafts'] {
  const { new: typed = NO_DRAFT, ...others } = drafts;
  return typed.text === '' && typed.picture === null ? others : { ...others, [id]: typed };
}

function joined(first: Draft, second: Draft): Draft {
  const between = first.text === '' || second.text === '' ? '' : '\n\n';
  return { text: first.text + between + second.text, picture: first.picture ?? second.picture, missing: second.missing ?? null };
}
