import { useEffect, useState } from 'react';

/** The current time, updated at an interval while it is wanted. */
export function useNow(every: number, wanted = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!wanted) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, wanted]);
  return now;
}
