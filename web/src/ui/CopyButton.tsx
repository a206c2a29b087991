import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useI18n } from '../i18n';
import { announce } from './announce';
import { IconButton } from './Button';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useI18n();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      if (!copyByHand(text)) return;
    }
    setCopied(true);
    announce(t('copied'));
  };
  return (
    <IconButton label={copied ? t('copied') : label} onClick={() => void copy()} className="size-8">
      {copied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
    </IconButton>
  );
}

/** Over plain HTTP on a local network scripts have no access to the clipboard. */
function copyByHand(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr-only';
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
