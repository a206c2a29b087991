/** All keys, from the one table of them. */

import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';

import { useI18n } from '../i18n';
import { useSettings } from '../state/settings';
import { IconButton } from '../ui/Button';
import { KEY_GROUPS, type KeyName, onMac, written } from '../ui/keys';
import { showOverlay } from './overlays';

export default function KeysDialog() {
  const { t } = useI18n();
  const dialog = useRef<HTMLDialogElement>(null);
  const enter = useSettings((state) => state.enter);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const leave = () => dialog.current?.close();
  // Where Enter makes a new line, it is not what sends.
  const shown = (name: KeyName) => enter === 'send' || name !== 'send';
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys-title"
      onClose={() => showOverlay(null)}
      onClick={(event) => event.target === dialog.current && leave()}
      className="m-auto max-h-[86dvh] w-[min(34rem,calc(100vw-2rem))] overflow-y-auto rounded-card border border-line bg-surface p-6 shadow-float backdrop:bg-shade"
    >
      <div className="flex items-start justify-between gap-4">
        <h2 id="keys-title" className="font-serif text-title font-semibold">{t('keys.title')}</h2>
        <IconButton label={t('keys.close')} onClick={leave} className="-me-2 -mt-1.5">
          <X size={18} aria-hidden="true" />
        </IconButton>
      </div>
      <div className="mt-4 space-y-5">
        {KEY_GROUPS.map(({ title, names }) => (
          <section key={title}>
            <h3 className="text-small font-medium text-muted">{t(title)}</h3>
            <dl className="mt-1 divide-y divide-line">
              {names.filter(shown).map((name) => (
                <Row key={name} name={name} text={t(name === 'newline' && enter === 'newline' ? 'keys.newline_both' : `keys.${name}`)} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}

function Row({ name, text }: { name: KeyName; text: string }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-1.5">
      <dt className="min-w-0">{text}</dt>
      <dd className="flex shrink-0 items-center gap-1">
        {written(name, onMac()).map((key) => (
          <kbd key={key} className="min-w-7 rounded-control border border-line bg-raised px-1.5 py-0.5 text-center font-sans text-small">{key}</kbd>
        ))}
      </dd>
    </div>
  );
}
