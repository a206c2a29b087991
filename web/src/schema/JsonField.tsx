/** JSON for experts: kept as typed, taken over as soon as it can be read. */

import { useState } from 'react';

import { useWords } from '../words';

interface Props {
  value: unknown;
  change(value: unknown): void;
  common?: Record<string, unknown>;
  label?: string;
  rows?: number;
}

export function JsonField({ value, change, common = {}, label, rows = 4 }: Props) {
  const { t } = useWords();
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [broken, setBroken] = useState(false);
  const type = (typed: string) => {
    setText(typed);
    try {
      change(typed.trim() === '' ? undefined : (JSON.parse(typed) as unknown));
      setBroken(false);
    } catch {
      setBroken(true);
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
        aria-invalid={broken}
      />
      {broken && <p role="alert" className="text-small font-medium text-critical">{t('form.problem.json')}</p>}
    </>
  );
}
