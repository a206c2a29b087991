/**
 * The thread sticks to its end while text comes in, unless the reader scrolled
 * up or unfolded something. Then it stays where it is, also when something is
 * inserted above.
 */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { distanceToEnd, NEAR_END, offsetIn, showWhole, STICK, UNSTICK } from '../ui/scroll_view';

/** The field of the thread that has the focus. */
function fieldIn(view: HTMLElement): HTMLElement | null {
  const field = document.activeElement;
  const isField = field instanceof HTMLElement && field.matches('input, textarea, select') && view.contains(field);
  return isField ? field : null;
}

export interface StickToEnd {
  /** Whether the view sticks to the end. */
  atEnd: boolean;
  toEnd(smooth?: boolean): void;
}

export function useStickToEnd(view: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, conversation: string | null, hasRows: boolean): StickToEnd {
  const [atEnd, setAtEnd] = useState(true);
  const pinned = useRef(true);
  // The empty state is read from its beginning.
  const wanted = useRef(hasRows);
  wanted.current = hasRows;

  const toEnd = useCallback(
    (smooth = false) => {
      const element = view.current;
      if (!element) return;
      pinned.current = true;
      setAtEnd(true);
      element.scrollTo({ top: wanted.current ? element.scrollHeight : 0, behavior: smooth ? 'smooth' : 'instant' });
    },
    [view],
  );

  useEffect(() => {
    const element = view.current;
    const inside = content.current;
    if (!element || !inside) return;
    let lastTop = element.scrollTop;
    let fieldTop = 0;
    let height = 0;
    const notePositions = () => {
      const field = fieldIn(element);
      fieldTop = field ? offsetIn(element, field) : 0;
      height = element.scrollHeight;
      lastTop = element.scrollTop;
    };
    // The browser reveals the caret of a field alone; its lower edge may stay hidden.
    const showField = () => {
      const field = fieldIn(element);
      if (field) showWhole(element, field);
      notePositions();
    };
    const onScroll = () => {
      // Only the distance counts: the field may also have moved because content grew in this frame.
      // Content that shrinks may scroll by itself, and that does not count.
      if (element.scrollHeight >= height) fieldTop -= element.scrollTop - lastTop;
      const left = distanceToEnd(element);
      const up = element.scrollTop < lastTop - 1;
      lastTop = element.scrollTop;
      // Growing content moves the end away without a scroll upwards, so only a scroll upwards unsticks.
      if (left <= 1 || (left < NEAR_END && !up)) pinned.current = true;
      else if (left >= NEAR_END && up) pinned.current = false;
      setAtEnd(pinned.current);
    };
    const grown = new ResizeObserver(() => {
      // A preview above the field changes with every keystroke in it; the field keeps its position.
      const field = fieldIn(element);
      if (field) element.scrollTop += offsetIn(element, field) - fieldTop;
      const hidesField = field !== null && offsetIn(element, field) < distanceToEnd(element);
      if (pinned.current && wanted.current && !hidesField) element.scrollTop = element.scrollHeight;
      notePositions();
    });
    const setPinned = (end: boolean) => {
      pinned.current = end;
      setAtEnd(end);
    };
    const unstick = () => setPinned(false);
    const stick = () => setPinned(true);
    element.addEventListener(UNSTICK, unstick);
    element.addEventListener(STICK, stick);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('focusin', showField);
    element.addEventListener('input', showField);
    grown.observe(inside);
    grown.observe(element);
    return () => {
      element.removeEventListener(UNSTICK, unstick);
      element.removeEventListener(STICK, stick);
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('focusin', showField);
      element.removeEventListener('input', showField);
      grown.disconnect();
    };
  }, [view, content]);

  useLayoutEffect(() => toEnd(), [conversation, toEnd]);

  return { atEnd, toEnd };
}
