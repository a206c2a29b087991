import { CircleAlert, RotateCcw } from 'lucide-react';

import { useI18n } from '../i18n';
import { spentText } from '../i18n/budgets';
import { failureKey, type Remedy } from '../i18n/reasons';
import { serverNow } from '../net/clock';
import type { SpentBudget } from '../protocol/generated';
import { tryAgain } from '../state/again';
import { startNew } from '../state/conversation';
import { Button } from '../ui/Button';
import { Disclosure } from '../ui/Disclosure';
import { VisibleText } from '../ui/VisibleText';
import { Actions, Card } from './Card';

interface Props {
  text: string;
  code: string;
  /** Whether a retry can help, and nothing else happened since. */
  retry: boolean;
  /** What else helps. */
  remedy: Remedy;
  /** The budget that is used up, if it is about one. */
  budget: SpentBudget | null;
}

/** The error of a turn: what happened, and what to do. */
export function ErrorCard({ text, code, retry, remedy, budget }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  return (
    <Card tone="critical" icon={<CircleAlert size={18} />} title={t('error.title')}>
      <p>{budget ? spentText(i18n, budget, serverNow(Date.now())) : t(failureKey(code, remedy))}</p>
      {retry && (
        <Actions>
          <Button icon={<RotateCcw size={15} aria-hidden="true" />} onClick={() => void tryAgain()}>
            {t('try_again')}
          </Button>
        </Actions>
      )}
      {remedy === 'new_conversation' && (
        <Actions>
          <Button onClick={() => startNew()}>{t('list.new')}</Button>
        </Actions>
      )}
      {text && (
        <Disclosure summary={t('details')}>
          <p className="mt-1 text-small whitespace-pre-wrap text-muted">
            <VisibleText text={text} />
          </p>
        </Disclosure>
      )}
    </Card>
  );
}
