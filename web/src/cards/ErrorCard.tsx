import { CircleAlert, RotateCcw } from 'lucide-react';

import { tryAgain } from '../state/conversation';
import { Button } from '../ui/Button';
import { Disclosure } from '../ui/Disclosure';
import { Visible } from '../ui/Visible';
import { useWords } from '../words';
import { reasonKey } from '../words/reasons';
import { Actions, Card } from './Card';

interface Props {
  text: string;
  code: string;
  /** Whether trying again can help, and nothing else happened since. */
  retry: boolean;
}

/** What happened, what to do, and the way back. */
export function ErrorCard({ text, code, retry }: Props) {
  const { t } = useWords();
  return (
    <Card tone="critical" icon={<CircleAlert size={18} />} title={t('error.title')}>
      <p>{t(reasonKey(code))}</p>
      {retry && (
        <Actions>
          <Button icon={<RotateCcw size={15} aria-hidden="true" />} onClick={() => void tryAgain()}>
            {t('try_again')}
          </Button>
        </Actions>
      )}
      {text && (
        <Disclosure summary={t('details')}>
          <p className="mt-1 text-small whitespace-pre-wrap text-muted">
            <Visible text={text} />
          </p>
        </Disclosure>
      )}
    </Card>
  );
}
