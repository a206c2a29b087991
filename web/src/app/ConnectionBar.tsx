import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useI18n } from '../i18n';
import { startNew } from '../state/conversation';
import { useParlor } from '../state/store';
import { reconnect } from '../state/subscription';
import { Button } from '../ui/Button';

/** A shorter interruption is not shown, in milliseconds. */
const BLIP = 700;

/** A bar that is shown while the connection is lost. */
export function ConnectionBar() {
  const { t } = useI18n();
  const connection = useParlor((state) => state.connection);
  const lost = connection === 'lost' || connection === 'connecting';
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!lost) return setLate(false);
    const timer = setTimeout(() => setLate(true), BLIP);
    return () => clearTimeout(timer);
  }, [lost]);
  if (connection === 'gone') {
    return (
      <Bar>
        {t('connection.gone')}
        <Button onClick={() => startNew()}>{t('list.new')}</Button>
      </Bar>
    );
  }
  if (!lost || !late) return null;
  return (
    <Bar>
      {t('connection.lost')}
      <Button look="quiet" className="text-ink" onClick={reconnect}>
        {t('connection.now')}
      </Button>
    </Bar>
  );
}

function Bar({ children }: { children: React.ReactNode }) {
  return (
    <div role="status" data-connection="lost" className="flex shrink-0 flex-wrap items-center justify-center gap-x-3 border-b border-line bg-warning/10 px-4 py-1 text-small">
      <CloudOff size={15} aria-hidden="true" className="text-warning" />
      {children}
    </div>
  );
}
