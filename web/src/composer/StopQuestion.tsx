import { TriangleAlert } from 'lucide-react';

import { useI18n } from '../i18n';
import { stop } from '../state/conversation';
import { Button } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { focusComposer } from './focus';

/** Confirms stopping a turn with an open prompt, which would be withdrawn. */
export function StopQuestion({ leave }: { leave(): void }) {
  const { t } = useI18n();
  const stay = () => {
    leave();
    focusComposer();
  };
  return (
    <div
      role="group"
      aria-label={t('composer.stop_question')}
      onKeyDown={onEscape(stay)}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control bg-warning/10 px-3 py-2 text-small"
    >
      <TriangleAlert size={16} aria-hidden="true" className="shrink-0 text-warning" />
      <p className="min-w-48 grow basis-0 font-medium">{t('composer.stop_question')}</p>
      <span className="flex flex-wrap gap-2">
        <Button
          look="critical"
          onClick={() => {
            leave();
            void stop();
          }}
        >
          {t('composer.stop_now')}
        </Button>
        <Button onClick={stay} autoFocus>
          {t('composer.stop_not')}
        </Button>
      </span>
    </div>
  );
}
