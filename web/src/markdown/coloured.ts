/**
 * The colours of code, part after part. Between two parts the page may do something else; a part that does not
 * change is coloured once. The last part of code that is still written waits for a pause.
 */

import { useEffect, useRef, useState } from 'react';

import { colouristOf, type Token } from './highlight';

/** The pause in the stream, in milliseconds. */
const REST = 150;
/** Longer code stays plain. */
const MOST_LETTERS = 200_000;

type State = ReturnType<NonNullable<Awaited<ReturnType<typeof colouristOf>>>['colour']>['end'];

export interface Coloured {
  text: string;
  lines: Token[][];
}

interface Done extends Coloured {
  end: State;
}

export function useColoured(parts: readonly string[], language: string): readonly Coloured[] {
  const [shown, setShown] = useState<readonly Coloured[]>([]);
  const done = useRef<{ language: string; parts: Done[] }>({ language, parts: [] });
  const now = useRef(parts);
  now.current = parts;
  const busy = useRef(false);
  const full = parts.length - 1;
  const last = parts.at(-1) ?? '';

  useEffect(() => {
    let wanted = true;
    const work = async (all: boolean) => {
      if (busy.current || !wanted) return;
      busy.current = true;
      try {
        await colour(done, language, () => (wanted ? (all ? now.current : now.current.slice(0, -1)) : null), setShown);
      } finally {
        busy.current = false;
      }
    };
    // Code that cannot be highlighted stays plain.
    const start = (all: boolean) => void work(all).catch(() => undefined);
    if (full > 0) start(false);
    const timer = setTimeout(start, REST, true);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [full, last, language]);
  return shown;
}

type Remembered = { current: { language: string; parts: Done[] } };

/** Colours what is not coloured yet, until nobody wants it any more. */
async function colour(done: Remembered, language: string, wanted: () => readonly string[] | null, show: (parts: readonly Coloured[]) => void): Promise<void> {
  if (language === '') return;
  const colourist = await colouristOf(language);
  if (!colourist) return;
  if (done.current.language !== language) done.current = { language, parts: [] };
  const known = done.current.parts;
  for (let at = 0; ; at += 1) {
    const parts = wanted();
    const text = parts?.[at];
    if (!parts || text === undefined || parts.reduce((sum, part) => sum + part.length, 0) > MOST_LETTERS) return;
    if (known[at]?.text === text) continue;
    const { lines, end } = colourist.colour(text.replace(/\n$/, ''), known[at - 1]?.end);
    known.splice(at, known.length, { text, lines, end });
    show([...known]);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
