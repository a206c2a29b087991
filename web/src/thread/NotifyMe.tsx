import { useState } from 'react';

import { recall, remember } from '../state/memory';
import { useWords } from '../words';

/** U-5: offered when a prompt waits, and so there is a reason to; asked once. */
export function NotifyMe() {
  const { t } = useWords();
  const [asked, setAsked] = useState(() => recall('notify') !== null);
  const can = 'Notification' in window && window.isSecureContext && Notification.permission === 'default';
  if (!can || asked) return null;
  const done = () => {
    remember('notify', 'asked');
    setAsked(true);
  };
  return (
    <button
      type="button"
      onClick={() => void Notification.requestPermission().then(done, done)}
      className="rounded-control font-medium text-accent underline underline-offset-3 pointer-coarse:hidden"
    >
      {t('notification.allow')}
    </button>
  );
}
