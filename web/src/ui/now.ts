import { useEffect, useState } from 'react';

/** The time, told anew every so often while somebody wants it. */
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
