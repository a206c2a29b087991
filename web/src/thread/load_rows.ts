/** The code that draws rows: loaded with the first of them, or when the page has been idle for a moment. */

import { useEffect, useState } from 'react';

type Module = typeof import('./Rows');

let loaded: Module | null = null;

async function load(): Promise<Module> {
  loaded = await import('./Rows');
  return loaded;
}

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
    let wanted = true;
    load()
      .then((one) => wanted && setModule(one))
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [needed, module]);
  return module;
}
