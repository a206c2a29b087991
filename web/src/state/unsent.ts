/**
 * Messages that were typed and did not go out. They are kept as drafts of their
 * conversation, also while they are on their way: a reload, a login or another
 * conversation in between loses none.
 */

import { draftsUnder, keepDraft } from './drafts';
import { draftOf, NO_DRAFT, type Outgoing, type ParlorState, setState, useParlor } from './store';

const KEPT = 'message.';

const isText = (value: unknown): value is string => typeof value === 'string';

/** Brings back what was kept, and keeps what is typed from now on. */
export function restoreUnsent(): void {
  const kept = Object.entries(draftsUnder(KEPT, isText));
  const drafts = Object.fromEntries(kept.map(([place, text]) => [place, { text, picture: null }]));
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
    const text = unsentText(state, place);
    if (text !== unsentText(before, place)) keepDraft(KEPT + place, text === '' ? null : text);
  }
}

function unsentText(state: ParlorState, place: string): string {
  const { outgoing } = state;
  const onItsWay = outgoing?.place === place && isUnsent(outgoing) ? outgoing.text : '';
  return joined(onItsWay, draftOf(state, place).text);
}

/** Whether a message would be lost: what is tried again is in the conversation already. */
function isUnsent({ messageId, retryOf }: Outgoing): boolean {
  return messageId === null && retryOf === null;
}

/** Each is put back once, however often it was tried. */
const returned = new Set<string>();

/** Puts a message that did not go out back where it was typed, before what was typed since. */
export function putBack(outgoing: Outgoing): void {
  if (!isUnsent(outgoing) || returned.has(outgoing.clientId)) return;
  returned.add(outgoing.clientId);
  setState((state) => {
    const since = draftOf(state, outgoing.place);
    const draft = { text: joined(outgoing.text, since.text), picture: outgoing.picture ?? since.picture };
    return { drafts: { ...state.drafts, [outgoing.place]: draft } };
  });
}

/** One that was put back has arrived after all. */
export function takeOut(outgoing: Outgoing): void {
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

const joined = (first: string, second: string): string => (first === '' || second === '' ? first + second : `${first}\n\n${second}`);
