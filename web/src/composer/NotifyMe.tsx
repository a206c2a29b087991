import { useState } from 'react';

import { EMBEDDING } from '../browser/embedded';
import { readLocal, writeLocal } from '../browser/local_storage';
import { useI18n } from '../i18n';

/** U-5: offers notifications while a prompt is open, once. */
export function NotifyMe() {
  const { t } = useI18n();
  const [asked, setAsked] = useState(() => readLocal('notify') !== null);
  const can = 'Notification' in window && window.isSecureContext && Notification.permission === 'default';
  if (!can || asked || EMBEDDING) return null;
  const done = () => {
    writeLocal('notify', 'asked');
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
