/** What lies over the page: the palette, or the list of keys. Both open with a key from anywhere. */

import { useEffect } from 'react';
import { create } from 'zustand';

import { isEditable } from '../ui/focus';
import { isKey } from '../ui/keys';

export type Overlay = 'palette' | 'keys';

export const useOverlay = create<{ overlay: Overlay | null }>(() => ({ overlay: null }));

export const showOverlay = (overlay: Overlay | null): void => useOverlay.setState({ overlay });

export function useOverlayKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      if (isKey(event, 'palette')) showOverlay(useOverlay.getState().overlay === 'palette' ? null : 'palette');
      // In a field it is a sign like any other.
      else if (isKey(event, 'help') && !isEditable(document.activeElement)) showOverlay('keys');
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
