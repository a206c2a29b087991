/** A call that was not made, because somebody has to log in to a tool server for themselves first (I-5). */

import { KeyRound, RotateCcw } from 'lucide-react';

import { useI18n } from '../i18n';
import type { Message } from '../protocol/generated';
import { regenerate } from '../state/again';
import { openLogins } from '../state/pages';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { Actions, Card } from './Card';

interface Props {
  server: string;
  /** The message that can be tried again now. */
  asked: Message | null;
}

export function LoginCard({ server, asked }: Props) {
  const { t } = useI18n();
  const hasAccount = useParlor((state) => state.me?.person !== undefined);
  const readOnly = useParlor((state) => state.readOnly);
  // Whoever only reads has nothing to log in to.
  if (readOnly) return null;
  return (
    <Card tone="warning" icon={<KeyRound size={18} />} title={t('login_needed.title', { server })}>
      <p>{t(hasAccount ? 'login_needed.text' : 'login_needed.no_account', { server })}</p>
      {hasAccount && (
        <Actions>
          <Button look="primary" onClick={openLogins}>
            {t('login_needed.settings')}
          </Button>
          {asked && (
            <Button icon={<RotateCcw size={15} aria-hidden="true" />} onClick={() => void regenerate(asked)}>
              {t('try_again')}
            </Button>
          )}
        </Actions>
      )}
    </Card>
  );
}
