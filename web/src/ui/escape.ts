/** Escape closes the innermost thing that is open, and nothing around it. */

import type { KeyboardEvent } from 'react';

/** For `onKeyDown` of what can be closed. Inner elements have handled the key already. */
export function onEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return;
    // A dialog around it would close by itself.
    event.preventDefault();
    event.stopPropagation();
    close();
  };
}
