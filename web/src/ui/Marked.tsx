import { type ReactNode, useMemo } from 'react';

interface Props {
  text: string;
  /** Beginning and end of each place, in order. */
  marks: readonly (readonly [number, number])[];
}

/** A text with marked places. */
export function Marked({ text, marks }: Props) {
  const parts = useMemo(() => {
    const parts: ReactNode[] = [];
    let at = 0;
    for (const [from, to] of marks) {
      if (from < at || to > text.length) continue;
      parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
      at = to;
    }
    return [...parts, text.slice(at)];
  }, [text, marks]);
  return <>{parts}</>;
}
