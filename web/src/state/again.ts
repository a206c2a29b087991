/** A message once more: after a failure, with other words, for another answer; and which version to go on with. */

import * as api from '../net/api';
import { asRefusal } from '../net/http';
import type { Message } from '../protocol/generated';
import { shown } from './branches';
import { sendDraft } from './conversation';
import { editKey, getState, setEdit, setState } from './store';
import { reconnect } from './subscription';

/** Asks the last question again, after a failure. */
export async function tryAgain(): Promise<void> {
  const asked = shown(getState().conversation).items.findLast(
    (item) => item.kind === 'message' && item.message.role === 'user',
  );
  if (asked?.kind !== 'message') return;
  const { id, content } = asked.message;
  // The server still has its files.
  await sendDraft({ text: content, files: [] }, { retryOf: id });
}

/** U-7: puts other words in the place of a message. The old ones stay, with what followed them. */
export async function sendEdit({ id: message, turn_id: turn }: Message, text: string, withoutFiles: boolean): Promise<void> {
  setEdit(message, null);
  const inPlaceOf = { turn, message, how: 'edit' } as const;
  await sendDraft({ text, files: [] }, { inPlaceOf, withoutFiles, draftKey: editKey(message) });
}

/** U-7: asks for another answer to a message. The old one stays. */
export async function regenerate({ id: message, turn_id: turn, content }: Message): Promise<void> {
  const inPlaceOf = { turn, message, how: 'regenerate' } as const;
  await sendDraft({ text: content, files: [] }, { inPlaceOf });
}

/** U-7: goes on with the branch of a turn. It comes over the stream, to every open page. */
export async function chooseBranch(turn: string): Promise<void> {
  const { id } = getState().conversation;
  if (id === null) return;
  try {
    await api.chooseBranch(id, turn);
    setState({ notice: null });
    reconnect();
  } catch (error) {
    setState({ notice: { refusal: asRefusal(error), at: Date.now() } });
  }
}
