/**
 * Keys while a card itself has the focus. They answer nothing: a digit moves the
 * focus to that option, where Enter chooses it, and letters go to the composer.
 */

import { type FocusEvent, type KeyboardEvent, useRef } from 'react';

import { continueInComposer } from '../composer/focus';

interface CardKeys {
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  onBlur(event: FocusEvent<HTMLElement>): void;
}

export function useCardKeys(): CardKeys {
  // Digits that moved the focus to an option. If letters follow, they began a sentence.
  const digits = useRef('');
  return {
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
      const { currentTarget: card, target, key } = event;
      const options = [...card.querySelectorAll<HTMLElement>('[data-option]:enabled')];
      if (target !== card && !options.includes(target as HTMLElement)) return;
      const option = /^[1-9]$/.test(key) ? options[Number(key) - 1] : undefined;
      if (option) {
        event.preventDefault();
        if (!event.repeat) digits.current += key;
        option.focus();
      } else if (key.length > 1) {
        if (key !== 'Shift') digits.current = '';
      } else if (digits.current !== '' || (target === card && key !== ' ')) {
        event.preventDefault();
        continueInComposer(digits.current + key);
        digits.current = '';
      }
    },
    onBlur(event) {
      if (!event.currentTarget.contains(event.relatedTarget)) digits.current = '';
    },
  };
}
