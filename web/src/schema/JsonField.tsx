/** A field for JSON: the text stays as typed, and valid JSON becomes the value. */

import { useState } from 'react';

import { useI18n } from '../i18n';

interface Props {
  value: unknown;
  change(value: unknown): void;
  common?: Record<string, unknown>;
  label?: string;
  rows?: number;
}

export function JsonField({ value, change, common = {}, label, rows = 4 }: Props) {
  const { t } = useI18n();
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [broken, setBroken] = useState<'json' | 'digits' | null>(null);
  const type = (typed: string) => {
    setText(typed);
    try {
      change(typed.trim() === '' ? undefined : exactly(typed));
      setBroken(null);
    } catch (error) {
      setBroken(error instanceof RangeError ? 'digits' : 'json');
    }
  };
  return (
    <>
      <textarea
        dir="ltr"
        className="field font-mono text-small"
        rows={rows}
        spellCheck={false}
        aria-label={label}
        value={text}
        onChange={(event) => type(event.target.value)}
        {...common}
        aria-invalid={broken !== null}
      />
      {broken && <p role="alert" className="text-small font-medium text-critical">{t(`form.problem.${broken}`)}</p>}
    </>
  );
}

/** Parses JSON; an integer that would be rounded is a RangeError, if the browser gives the source text. */
function exactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const written = context?.source ?? '';
    if (typeof value === 'number' && /^-?\d+$/.test(written) && !Number.isSafeInteger(value)) throw new RangeError(written);
    return value;
  });
}
