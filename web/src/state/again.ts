/** A message once more: after a failure, with other words, for another answer; and which version to go on with. */

import * as api from '../net/api';
import { isFields } from '../net/decode';
import { asRefusal } from '../net/http';
import type { Message } from '../protocol/generated';
import { shown } from './branches';
import { sendDraft } from './conversation';
import { readPicture } from './pictures';
import { editKey, getState, type Picture, setEdit, setState } from './store';
import { reconnect } from './subscription';

/** Asks the last question again, after a failure. */
export async function tryAgain(): Promise<void> {
  const asked = shown(getState().conversation).items.findLast(
    (item) => item.kind === 'message' && item.message.role === 'user',
  );
  if (asked?.kind !== 'message') return;
  const { id, content, metadata } = asked.message;
  await sendDraft({ text: content, picture: await pictureAgain(metadata['image']) }, { retryOf: id });
}

/** U-7: puts other words in the place of a message. The old ones stay, with what followed them. */
export async function sendEdit({ id: message, turn_id: turn }: Message, text: string, withoutPicture: boolean): Promise<void> {
  setEdit(message, null);
  const inPlaceOf = { turn, message, how: 'edit' } as const;
  await sendDraft({ text, picture: null }, { inPlaceOf, withoutPicture, draftKey: editKey(message) });
}

/** U-7: asks for another answer to a message. The old one stays. */
export async function regenerate({ id: message, turn_id: turn, content }: Message): Promise<void> {
  const inPlaceOf = { turn, message, how: 'regenerate' } as const;
  await sendDraft({ text: content, picture: null }, { inPlaceOf });
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

/** The picture of a message that is sent again. */
async function pictureAgain(image: unknown): Promise<Picture | null> {
  if (!isFields(image) || typeof image['id'] !== 'string') return null;
  try {
    return await readPicture(await api.readImage(image['id']), '');
  } catch {
    return null;
  }
}
