/** The code that draws rows: loaded when the page is there. Without a connection it is tried again. */

import { useEffect, useState } from 'react';

type Module = typeof import('./Rows');

let loaded: Module | null = null;

async function load(): Promise<Module> {
  loaded = await import('./Rows');
  return loaded;
}

/** How long to wait before it is loaded again, in milliseconds. */
const AGAIN = 2_000;

/** Loads it, and the prompt cards after it, before they are needed. */
export function fetchRows(): void {
  load()
    .then((module) => module.fetchCards())
    .catch(() => undefined);
}

/** What draws rows; `null` as long as it is being loaded. */
export function useRowsModule(needed: boolean): Module | null {
  const [module, setModule] = useState(loaded);
  useEffect(() => {
    if (!needed || module) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wanted = true;
    const attempt = () => {
      load().then(
        (one) => wanted && setModule(one),
        () => {
          if (wanted) timer = setTimeout(attempt, AGAIN);
        },
      );
    };
    attempt();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [needed, module]);
  return module;
}
