import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { Refusal } from '../net/http';
import { open, startNew } from '../state/conversation';
import { getState } from '../state/store';
import { Button } from '../ui/Button';

/** Shown while the history of a conversation is read, or if it cannot be. */
export function Opening({ state }: { state: 'reading' | Refusal }) {
  const i18n = useI18n();
  const { t } = i18n;
  if (state === 'reading') {
    return (
      <div role="status" className="space-y-6">
        <span className="sr-only">{t('thread.opening')}</span>
        {['w-2/5 ms-auto', 'w-full', 'w-4/5', 'w-1/3 ms-auto', 'w-11/12'].map((shape) => (
          <div key={shape} aria-hidden="true" className={`h-10 animate-pulse-soft rounded-card bg-raised ${shape}`} />
        ))}
      </div>
    );
  }
  const again = () => {
    const { id } = getState().conversation;
    if (id !== null) void open(id);
  };
  return (
    <div role="alert" className="m-auto max-w-sm space-y-4 text-center">
      <h1 className="text-title font-medium">{state.code === 'not_found' ? t('thread.gone') : reasonFor(i18n, state)}</h1>
      <div className="flex justify-center gap-2">
        {state.code !== 'not_found' && <Button look="primary" onClick={again}>{t('try_again')}</Button>}
        <Button onClick={() => startNew()}>{t('list.new')}</Button>
      </div>
    </div>
  );
}
