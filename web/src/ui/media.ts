import { useSyncExternalStore } from 'react';

/** From this width on, an artifact is shown beside the chat. */
export const BESIDE = '(min-width: 768px)';
/** From this width on, the list is shown too. */
export const WIDE = '(min-width: 1024px)';

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
  );
}
