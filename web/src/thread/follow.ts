/**
 * The view follows what comes, unless the reader scrolled up or unfolded
 * something; then it stays where it is, also when something is put in above.
 * Whatever moves the thread moves its own scroller and nothing around it.
 */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Whoever wants to show something else than the end tells the view so, and when the end may be followed again. */
const LET_GO = 'parlor:let-go';
const TAKE_UP = 'parlor:take-up';

/** This close to the end is at the end. */
const NEAR = 64;
/** Between the edge of the view and what is shown at it. */
const MARGIN = 24;

const viewOf = (element: HTMLElement) => element.closest<HTMLElement>('[data-view]');

/** How far below the upper edge of the view something begins. */
const below = (view: HTMLElement, element: HTMLElement) => element.getBoundingClientRect().top - view.getBoundingClientRect().top;

/** Whether an element is too tall to be seen whole. */
export function isTallerThanView(element: HTMLElement): boolean {
  const view = viewOf(element);
  return view !== null && element.offsetHeight > view.clientHeight - MARGIN - 8;
}

/**
 * Shows an element of the thread: in the middle, or from its beginning if it is
 * taller than the view. `scrollIntoView` would also move whatever is around the
 * thread, the header among it.
 */
export function showInThread(element: HTMLElement): void {
  const view = viewOf(element);
  if (!view) return;
  view.dispatchEvent(new Event(LET_GO));
  const above = isTallerThanView(element) ? MARGIN : (view.clientHeight - element.offsetHeight) / 2;
  view.scrollTop += below(view, element) - above;
}

/** What the reader unfolds or folds stays where it is, unless it is in view with the end. */
export function stayAt(element: HTMLElement): void {
  const view = viewOf(element);
  if (!view) return;
  const toTheEnd = view.scrollHeight - view.scrollTop - below(view, element);
  if (leftIn(view) < NEAR) view.dispatchEvent(new Event(TAKE_UP));
  else if (toTheEnd > view.clientHeight) view.dispatchEvent(new Event(LET_GO));
}

const leftIn = (view: HTMLElement) => view.scrollHeight - view.scrollTop - view.clientHeight;

/** The field of the thread in which the reader writes. */
function fieldIn(view: HTMLElement): HTMLElement | null {
  const field = document.activeElement;
  const isField = field instanceof HTMLElement && field.matches('input, textarea, select') && view.contains(field);
  return isField ? field : null;
}

export interface Follow {
  /** Whether the end is in view and stays there. */
  following: boolean;
  toEnd(smooth?: boolean): void;
}

export function useFollow(view: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, conversation: string | null, hasRows: boolean): Follow {
  const [following, setFollowing] = useState(true);
  const pinned = useRef(true);
  // What is shown before the first word is read from its beginning.
  const wanted = useRef(hasRows);
  wanted.current = hasRows;

  const toEnd = useCallback(
    (smooth = false) => {
      const element = view.current;
      if (!element) return;
      pinned.current = true;
      setFollowing(true);
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
    const noteField = () => {
      const field = fieldIn(element);
      fieldTop = field ? below(element, field) : 0;
      height = element.scrollHeight;
    };
    const onScroll = () => {
      // What shrinks may scroll by itself; that is no place to keep the field at.
      if (element.scrollHeight >= height) noteField();
      const left = leftIn(element);
      const up = element.scrollTop < lastTop - 1;
      lastTop = element.scrollTop;
      // Growing content moves the end away without anybody scrolling; who was let go and moved up stays there.
      if (left <= 1 || (left < NEAR && !up)) pinned.current = true;
      else if (left >= NEAR && up) pinned.current = false;
      setFollowing(pinned.current);
    };
    const grown = new ResizeObserver(() => {
      // A preview above a field changes with every word that is written in it: the field stays.
      const field = fieldIn(element);
      if (field) element.scrollTop += below(element, field) - fieldTop;
      const hidesField = field !== null && below(element, field) < leftIn(element);
      if (pinned.current && wanted.current && !hidesField) element.scrollTop = element.scrollHeight;
      lastTop = element.scrollTop;
      noteField();
    });
    const pin = (end: boolean) => {
      pinned.current = end;
      setFollowing(end);
    };
    const letGo = () => pin(false);
    const takeUp = () => pin(true);
    element.addEventListener(LET_GO, letGo);
    element.addEventListener(TAKE_UP, takeUp);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('focusin', noteField);
    grown.observe(inside);
    grown.observe(element);
    return () => {
      element.removeEventListener(LET_GO, letGo);
      element.removeEventListener(TAKE_UP, takeUp);
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('focusin', noteField);
      grown.disconnect();
    };
  }, [view, content]);

  useLayoutEffect(() => toEnd(), [conversation, toEnd]);

  return { following, toEnd };
}
