/**
 * Messages that were typed and are not acknowledged yet. They are stored as drafts
 * of their conversation, also while they are being sent, so that a reload, a login
 * or a change of conversation loses none.
 */

import { isFields } from '../net/decode';
import { draftsUnder, saveDraft } from './draft_storage';
import { type Draft, draftOf, NO_DRAFT, type Outgoing, type ParlorState, setState, useParlor } from './store';

const KEPT = 'message.';

/** Of files only the names are stored: local storage is too small for the rest. */
interface Kept {
  text: string;
  /** The name of the picture, as earlier versions wrote it. */
  picture?: string | null;
  files?: readonly string[];
}

function isKept(value: unknown): value is Kept {
  if (!isFields(value)) return false;
  const { text, picture = null, files = [] } = value;
  const areNames = Array.isArray(files) && files.every((name) => typeof name === 'string');
  return typeof text === 'string' && (picture === null || typeof picture === 'string') && areNames;
}

/**
 * Restores the stored drafts, before what was typed until now, and stores that and every later
 * change: whose drafts they are is known a moment after the page can be typed in.
 */
export function restoreOutbox(): void {
  const kept = Object.entries(draftsUnder(KEPT, isKept));
  const stored = Object.fromEntries(kept.map(([place, { text, picture, files = [] }]) => [place, { text, files: [], missing: picture ? [picture, ...files] : files }]));
  unsubscribe();
  setState((state) => ({ drafts: { ...stored, ...typedAfter(stored, state.drafts) } }));
  keepWhatChanged(useParlor.getState(), { ...useParlor.getState(), drafts: stored, outgoing: null });
  unsubscribe = useParlor.subscribe(keepWhatChanged);
}

function typedAfter(stored: Record<string, Draft>, typed: Record<string, Draft>): Record<string, Draft> {
  const after = Object.entries(typed).map(([place, draft]) => {
    const before = stored[place];
    return [place, before === undefined || before.text === draft.text ? draft : joined(before, draft)] as const;
  });
  return Object.fromEntries(after);
}

let unsubscribe = () => undefined as void;

function keepWhatChanged(state: ParlorState, before: ParlorState): void {
  if (state.drafts === before.drafts && state.outgoing === before.outgoing) return;
  const places = [...Object.keys(state.drafts), ...Object.keys(before.drafts), state.outgoing?.draftKey, before.outgoing?.draftKey];
  for (const place of new Set(places)) {
    if (place === undefined) continue;
    const now = unsentAt(state, place);
    const then = unsentAt(before, place);
    if (now.text === then.text && now.files === then.files && now.missing === then.missing) continue;
    const files = [...(now.missing ?? []), ...now.files.map((file) => file.name)];
    const kept: Kept = { text: now.text, ...(files.length > 0 ? { files } : {}) };
    saveDraft(KEPT + place, now.text === '' && files.length === 0 ? null : kept);
  }
}

function unsentAt(state: ParlorState, place: string): Draft {
  const { outgoing } = state;
  const draft = draftOf(state, place);
  return outgoing?.draftKey === place && isUndelivered(outgoing) ? joined(outgoing, draft) : draft;
}

/** Whether a message would be lost with the page. One that is repeated is in the conversation already. */
function isUndelivered({ messageId, retryOf, inPlaceOf }: Outgoing): boolean {
  return messageId === null && retryOf === null && inPlaceOf?.how !== 'regenerate';
}

/** Client ids that were returned to their draft: each is returned once, however often it was tried. */
const returned = new Set<string>();

/** Puts an undelivered message back into its draft, before what was typed since. */
export function returnToDraft(outgoing: Outgoing): void {
  if (!isUndelivered(outgoing) || returned.has(outgoing.clientId)) return;
  returned.add(outgoing.clientId);
  setState((state) => {
    const draft = joined(outgoing, draftOf(state, outgoing.draftKey));
    return { drafts: { ...state.drafts, [outgoing.draftKey]: draft } };
  });
}

/** Takes a message out of its draft again: it was returned there, and arrived after all. */
export function removeReturned(outgoing: Outgoing): void {
  if (!returned.has(outgoing.clientId)) return;
  setState((state) => {
    if (draftOf(state, outgoing.draftKey).text !== outgoing.text) return {};
    const { [outgoing.draftKey]: _arrived, ...drafts } = state.drafts;
    return { drafts };
  });
}

/** Moves the draft of the new conversation to the id that it got. */
export function draftsMovedTo(id: string, { drafts }: ParlorState): ParlorState['drafts'] {
  const { new: typed = NO_DRAFT, ...others } = drafts;
  return typed.text === '' && typed.files.length === 0 ? others : { ...others, [id]: typed };
}

function joined(first: Draft, second: Draft): Draft {
  const between = first.text === '' || second.text === '' ? '' : '\n\n';
  return {
    text: first.text + between + second.text,
    files: [...first.files, ...second.files],
    missing: [...(first.missing ?? []), ...(second.missing ?? [])],
  };
}
