/** Whether this device is notified while the page is closed: on, off, and a test (U-11). */

import { BellOff, BellRing, Send } from 'lucide-react';
import { useEffect, useState } from 'react';

import { writeLocal } from '../browser/local_storage';
import { canSubscribe, currentSubscription, newSubscription } from '../browser/worker';
import { NotifyMe } from '../composer/NotifyMe';
import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { asRefusal, Refusal } from '../net/http';
import * as push from '../net/push';
import { Button } from '../ui/Button';

type Trouble = Refusal | 'no_address';

export function DeviceNotifications() {
  const i18n = useI18n();
  const { t, language } = i18n;
  const [known, setKnown] = useState<push.Notifications | null>(null);
  const [on, setOn] = useState(false);
  const [busy, setBusy] = useState(false);
  const [tested, setTested] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    if (!canSubscribe()) return;
    const read = async () => {
      const [known, subscription] = await Promise.all([push.notifications(), currentSubscription()]);
      setKnown(known);
      settle(known.subscribed && subscription !== null && Notification.permission === 'granted');
    };
    read().catch((error: unknown) => setTrouble(asRefusal(error)));
  }, []);
  const settle = (now: boolean) => {
    // The page itself need not notify then.
    writeLocal('push', now ? 'on' : null);
    setOn(now);
  };
  const doing = async (act: push.Act) => {
    setBusy(true);
    setTrouble(null);
    setTested(false);
    try {
      await act();
    } catch (error) {
      setTrouble(error instanceof Refusal ? error : 'no_address');
    }
    setBusy(false);
  };
  const turnOn = async () => {
    if ((await Notification.requestPermission()) !== 'granted' || known?.key === undefined) return;
    await push.subscribe(await newSubscription(known.key), language);
    settle(true);
  };
  const turnOff = async () => {
    await push.unsubscribe();
    settle(false);
    await (await currentSubscription())?.unsubscribe();
  };
  const test = async () => {
    await push.sendTest();
    setTested(true);
  };
  if (!canSubscribe() || known?.available === false) {
    return (
      <>
        <p className="text-small text-muted">{t(ofThePage())}</p>
        {!canSubscribe() && window.isSecureContext && <p className="text-small text-muted">{t('push.home_screen')}</p>}
        <NotifyMe />
      </>
    );
  }
  const denied = Notification.permission === 'denied';
  return (
    <div className="space-y-3">
      <p className="text-small text-muted">{t(denied ? 'settings.notifications.denied' : on ? 'push.on' : 'push.off')}</p>
      {known && !denied && (
        <div className="flex flex-wrap gap-2">
          {on ? (
            <>
              <Button icon={<Send size={16} aria-hidden="true" />} disabled={busy} onClick={() => void doing(test)}>
                {t('push.test')}
              </Button>
              <Button icon={<BellOff size={16} aria-hidden="true" />} disabled={busy} onClick={() => void doing(turnOff)}>
                {t('push.turn_off')}
              </Button>
            </>
          ) : (
            <Button icon={<BellRing size={16} aria-hidden="true" />} disabled={busy} onClick={() => void doing(turnOn)}>
              {t('push.turn_on')}
            </Button>
          )}
        </div>
      )}
      {known && !denied && <p className="text-small text-muted">{t(`push.content.${known.content}`)}</p>}
      <p role="status" className="text-small">{tested ? t('push.tested') : ''}</p>
      {trouble && <p role="alert" className="text-small text-critical">{trouble === 'no_address' ? t('push.no_address') : reasonFor(i18n, trouble)}</p>}
    </div>
  );
}

/** What the page can do while it is open. */
function ofThePage() {
  if (!('Notification' in window) || !window.isSecureContext) return 'settings.notifications.impossible';
  return `settings.notifications.${Notification.permission}` as const;
}
