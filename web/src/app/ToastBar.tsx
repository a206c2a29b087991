import { X } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useI18n } from '../i18n';
import { Button, IconButton } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { showToast, useToast } from '../ui/toast';

/** How long it stays, in milliseconds; longer while it is pointed at or has the focus. */
const STAYS = 12_000;

/** The last thing that was done, above the message field, with the button that undoes it. */
export function ToastBar() {
  const { t } = useI18n();
  const { toast, count } = useToast();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (!toast || held) return;
    const timer = setTimeout(() => showToast(null), STAYS);
    return () => clearTimeout(timer);
  }, [toast, count, held]);
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-[max(8.5rem,env(safe-area-inset-bottom))] z-40 flex justify-center px-3">
      {toast && (
        <div
          key={count}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
          onKeyDown={onEscape(() => showToast(null))}
          className="pointer-events-auto flex max-w-full animate-arrive items-center gap-2 rounded-card border border-line bg-surface py-1.5 ps-4 pe-1.5 shadow-float"
        >
          <span className="min-w-0 py-1">{toast.text}</span>
          {toast.action && (
            <Button
              onClick={() => {
                showToast(null);
                toast.action?.run();
              }}
            >
              {toast.action.label}
            </Button>
          )}
          <IconButton label={t('toast.close')} onClick={() => showToast(null)}>
            <X size={16} aria-hidden="true" />
          </IconButton>
        </div>
      )}
    </div>
  );
}
