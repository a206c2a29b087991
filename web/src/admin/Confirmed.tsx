/** A button whose act is asked about once more, in its place. */

import { useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { asRefusal, type Refusal } from '../net/http';
import { Button } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { Refused } from './Refused';

interface Props {
  /** What the button says, and what it says to whoever cannot see its row. */
  label: string;
  about: string;
  question: string;
  act(): Promise<unknown>;
  /** It was done. */
  done(): void;
}

export function Confirmed({ label, about, question, act, done }: Props) {
  const { t } = useI18n();
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const leave = () => {
    setAsked(false);
    setTimeout(() => button.current?.focus());
  };
  const carryOut = async () => {
    setBusy(true);
    setRefusal(null);
    try {
      await act();
      leave();
      done();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setBusy(false);
  };
  if (!asked) {
    return (
      <Button ref={button} look="quiet" aria-label={about} onClick={() => setAsked(true)}>
        {label}
      </Button>
    );
  }
  return (
    <div role="group" aria-label={question} onKeyDown={onEscape(leave)} className="max-w-80 space-y-2 rounded-control bg-warning/10 px-3 py-2">
      <p className="font-medium">{question}</p>
      <Refused refusal={refusal} />
      <span className="flex flex-wrap gap-2">
        <Button look="critical" disabled={busy} onClick={() => void carryOut()}>{label}</Button>
        <Button autoFocus onClick={leave}>{t('admin.cancel')}</Button>
      </span>
    </div>
  );
}
