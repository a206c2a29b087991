/**
 * Side effects of changes in the conversation: finished blocks are announced to
 * screen readers, the title of the tab shows an open prompt, a notification calls
 * whoever is in another window, a plain question moves the focus to the composer.
 */

import { readLocal } from '../browser/local_storage';
import { promptTitle } from '../cards/outcome';
import { focusComposer, isFocusFree } from '../composer/focus';
import { i18n } from '../i18n';
import { failureCode, failureKey, remedyOf } from '../i18n/reasons';
import { openPrompt } from '../state/branches';
import { type Item } from '../state/model';
import { type ParlorState, useParlor } from '../state/store';
import { announce } from '../ui/announce';

export function announceChanges(): () => void {
  return useParlor.subscribe((state, before) => {
    showTitle(state);
    // The history of a conversation that was just opened is not announced.
    if (!state.live || !before.live || state.conversation.id !== before.conversation.id) return;
    const { items } = state.conversation;
    if (items === before.conversation.items) return;
    const known = new Map(before.conversation.items.map((item) => [item.key, item]));
    for (const item of items) {
      if (known.get(item.key) !== item) noticed(item, known.get(item.key));
    }
  });
}

function noticed(item: Item, before: Item | undefined): void {
  const { t } = i18n();
  if (item.kind === 'message') {
    const finished = !item.streaming && (before?.kind !== 'message' || before.streaming);
    if (!finished || item.message.role === 'user' || item.message.message_type === 'thinking') return;
    if (item.message.message_type === 'error') {
      const { metadata } = item.message;
      return announce(t(failureKey(failureCode(metadata), remedyOf(metadata))), 'urgent');
    }
    announce(item.message.metadata['withheld'] === true ? t('said.withheld') : plain(item.message.content));
    if (item.message.message_type === 'question' && isFocusFree()) focusComposer();
  } else if (item.kind === 'prompt' && before?.kind !== 'prompt') {
    const title = promptTitle(i18n(), item.prompt, true);
    announce(t('announce.prompt', { question: title }));
    notify(title);
  } else if (item.kind === 'prompt' && item.closed?.outcome === 'expired' && before?.kind === 'prompt' && !before.closed) {
    announce(t('outcome.expired'));
  } else if (item.kind === 'error' && !before) {
    announce(t(failureKey(item.code, item.recoverable ? 'again' : 'unknown')), 'urgent');
  } else if (item.kind === 'ended' && !before) {
    announce(t(item.reason === 'stopped' ? 'ended.stopped' : 'ended.interrupted'));
  }
}

/** Text without the marks of markdown. */
function plain(markdown: string): string {
  return markdown.replace(/```[\s\S]*?```/g, ' … ').replace(/[*_`#>|]+/g, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').slice(0, 2_000);
}

/** U-5: the title of the tab shows that a prompt is open. */
export function showTitle({ conversation, title, waiting }: ParlorState): void {
  const { t } = i18n();
  const name = title === null ? 'Parlor' : `${title} · Parlor`;
  const waits = openPrompt(conversation) !== null || waiting.length > 0;
  const text = waits ? t('title.waits', { name }) : name;
  if (document.title !== text) document.title = text;
}

function notify(text: string): void {
  if (document.visibilityState === 'visible' && document.hasFocus()) return;
  // The server does, if this device is subscribed.
  if (!('Notification' in window) || Notification.permission !== 'granted' || readLocal('push') !== null) return;
  try {
    const notification = new Notification(i18n().t('notification.title'), { body: text, tag: 'parlor-prompt' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Phones need a service worker for this; without one there is no notification.
  }
}
