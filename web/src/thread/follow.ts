/**
 * The view follows what comes, unless the reader scrolled up; then it stays
 * where it is, also when something is put in above.
 */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Whoever wants to show something else than the end tells the view so. */
export const LET_GO = 'parlor:let-go';

/** This close to the end is at the end. */
const NEAR = 64;

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
      element.scrollTo({ top: element.scrollHeight, behavior: smooth ? 'smooth' : 'instant' });
    },
    [view],
  );

  useEffect(() => {
    const element = view.current;
    const inside = content.current;
    if (!element || !inside) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      const up = element.scrollTop < lastTop - 1;
      lastTop = element.scrollTop;
      // Growing content moves the end away without anybody scrolling.
      if (left < NEAR) pinned.current = true;
      else if (up) pinned.current = false;
      setFollowing(pinned.current);
    };
    const grown = new ResizeObserver(() => {
      if (pinned.current && wanted.current) element.scrollTop = element.scrollHeight;
      lastTop = element.scrollTop;
    });
    const letGo = () => {
      pinned.current = false;
      setFollowing(false);
    };
    element.addEventListener(LET_GO, letGo);
    element.addEventListener('scroll', onScroll, { passive: true });
    grown.observe(inside);
    grown.observe(element);
    return () => {
      element.removeEventListener(LET_GO, letGo);
      element.removeEventListener('scroll', onScroll);
      grown.disconnect();
    };
  }, [view, content]);

  useLayoutEffect(() => toEnd(), [conversation, toEnd]);

  return { following, toEnd };
}
