import { BellRing, CircleSlash, RotateCcw } from 'lucide-react';

import { useI18n } from '../i18n';
import { tryAgain } from '../state/again';
import { Button } from '../ui/Button';

/** The beginning of an agent-initiated turn. */
export function AgentInitiatedRow() {
  const { t } = useI18n();
  return (
    <p className="flex items-center gap-2 text-small text-muted">
      <BellRing size={14} aria-hidden="true" />
      {t('agent_initiated')}
    </p>
  );
}

/** The end of a turn that was stopped or interrupted. */
export function EndedRow({ reason, retry }: { reason: 'stopped' | 'interrupted'; retry: boolean }) {
  const { t } = useI18n();
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted">
      <span className="flex items-center gap-2">
        <CircleSlash size={14} aria-hidden="true" />
        {t(reason === 'stopped' ? 'ended.stopped' : 'ended.interrupted')}
      </span>
      {retry && (
        <Button look="quiet" className="text-small" icon={<RotateCcw size={14} aria-hidden="true" />} onClick={() => void tryAgain()}>
          {t('try_again')}
        </Button>
      )}
    </p>
  );
}
