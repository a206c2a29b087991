import { useRef } from 'react';

import { useI18n } from '../i18n';
import { Button } from '../ui/Button';
import { onEscape } from '../ui/escape';

/** Asks before a conversation is deleted for good, in its place in the list. */
export function AskToDelete({ done }: { done(yes: boolean): void }) {
  const { t } = useI18n();
  const here = useRef<HTMLLIElement>(null);
  const yes = () => {
    const beside = here.current?.nextElementSibling ?? here.current?.previousElementSibling;
    beside?.querySelector('button')?.focus();
    done(true);
  };
  return (
    <li
      ref={here}
      className="space-y-2 rounded-control border border-critical/50 p-2.5"
      onKeyDown={onEscape(() => done(false))}
    >
      <p className="text-small">{t('list.delete_question')}</p>
      <div className="flex gap-2">
        <Button look="critical" onClick={yes}>{t('list.delete')}</Button>
        <Button onClick={() => done(false)} autoFocus>{t('list.keep')}</Button>
      </div>
    </li>
  );
}
