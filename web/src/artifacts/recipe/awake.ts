/** Keeps the screen awake while somebody cooks, by a wake lock if the browser has them. */

import { useEffect, useState } from 'react';

export function useAwake() {
  const can = 'wakeLock' in navigator;
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (!can || !wanted) return;
    let lock: WakeLockSentinel | null = null;
    let over = false;
    const take = async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        const taken = await navigator.wakeLock.request('screen');
        if (over) await taken.release();
        else lock = taken;
      } catch {
        setWanted(false);
      }
    };
    // The browser releases the lock whenever the page is hidden.
    const takeAgain = () => void take();
    document.addEventListener('visibilitychange', takeAgain);
    takeAgain();
    return () => {
      over = true;
      document.removeEventListener('visibilitychange', takeAgain);
      void lock?.release();
    };
  }, [can, wanted]);
  return { can, wanted, setWanted };
}
