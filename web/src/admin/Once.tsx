/** Something secret that is shown once, with a way to copy it. */

import { useEffect, useId, useRef } from 'react';

import { useI18n } from '../i18n';
import { CopyButton } from '../ui/CopyButton';

export function Once({ label, text, copy }: { label: string; text: string; copy: string }) {
  const { t } = useI18n();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [text]);
  return (
    <div className="space-y-1 rounded-card border border-line bg-surface p-4">
      <label htmlFor={id} className="block font-medium">{label}</label>
      <div className="flex items-center gap-2">
        <input ref={field} id={id} readOnly value={text} className="field font-mono text-small" />
        <CopyButton text={text} label={copy} />
      </div>
      <p className="text-small text-muted">{t('admin.once')}</p>
    </div>
  );
}
