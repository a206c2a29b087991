import { Bell, X } from 'lucide-react';
import { useState } from 'react';

import { recall, remember } from '../state/memory';
import { openPrompt } from '../state/model';
import { useParlor } from '../state/store';
import { Button, IconButton } from '../ui/Button';
import { useWords } from '../words';

/** U-5: asked once, when a prompt waits and so there is a reason to. */
export function NotificationOffer() {
  const { t } = useWords();
  const waits = useParlor((state) => openPrompt(state.conversation) !== null);
  const [asked, setAsked] = useState(() => recall('notify') !== null);
  const can = 'Notification' in window && window.isSecureContext && Notification.permission === 'default';
  if (!can || asked || !waits) return null;
  const done = () => {
    remember('notify', 'asked');
    setAsked(true);
  };
  return (
    <div role="status" className="flex shrink-0 flex-wrap items-center justify-center gap-x-3 border-b border-line bg-raised px-4 py-1 text-small">
      <Bell size={15} aria-hidden="true" className="text-muted" />
      {t('notification.offer')}
      <Button look="quiet" className="text-ink" onClick={() => void Notification.requestPermission().then(done, done)}>
        {t('notification.allow')}
      </Button>
      <IconButton label={t('notification.dismiss')} onClick={done}>
        <X size={15} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
