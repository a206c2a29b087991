/** U-11: the icon has the number of what waits, and nothing is left on the screen that was seen. */

import { putAwayNotifications, showBadge } from '../browser/worker';
import { useParlor } from '../state/store';

export function followBadge(): () => void {
  const settle = () => {
    if (document.visibilityState !== 'visible') return;
    const { waiting, conversation } = useParlor.getState();
    showBadge(waiting.length);
    void putAwayNotifications(conversation.id, waiting.map((prompt) => prompt.messageId)).catch(() => undefined);
  };
  const leave = useParlor.subscribe((state, before) => {
    if (state.waiting !== before.waiting || state.conversation.id !== before.conversation.id) settle();
  });
  document.addEventListener('visibilitychange', settle);
  return () => {
    leave();
    document.removeEventListener('visibilitychange', settle);
  };
}
