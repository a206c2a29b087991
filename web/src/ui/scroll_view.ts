/**
 * Moving the scroll view that an element is in: the nearest `[data-view]` around
 * it. Only that view moves. `scrollIntoView` would also move whatever is around
 * it, the header included.
 *
 * A view that sticks to its end (`thread/stick_to_end.ts`) listens for the two
 * events: `UNSTICK` when something else than the end is shown, `STICK` when the
 * end may be followed again.
 */

export const UNSTICK = 'parlor:unstick';
export const STICK = 'parlor:stick';

/** Closer to the end than this counts as at the end, in pixels. */
export const NEAR_END = 64;
/** Between the edge of the view and what is shown at it, in pixels. */
const MARGIN = 24;

const viewOf = (element: HTMLElement) => element.closest<HTMLElement>('[data-view]');

/** How far below the upper edge of the view an element begins. */
export const offsetIn = (view: HTMLElement, element: HTMLElement) => element.getBoundingClientRect().top - view.getBoundingClientRect().top;

/** How far the view can still be scrolled down. */
export const distanceToEnd = (view: HTMLElement) => view.scrollHeight - view.scrollTop - view.clientHeight;

/** Whether an element is too tall to be seen whole. */
export function isTallerThanView(element: HTMLElement): boolean {
  const view = viewOf(element);
  return view !== null && element.offsetHeight > view.clientHeight - MARGIN - 8;
}

/** Shows an element: in the middle of its view, or from its beginning if it is taller than the view. */
export function showInView(element: HTMLElement): void {
  const view = viewOf(element);
  if (!view) return;
  view.dispatchEvent(new Event(UNSTICK));
  const above = isTallerThanView(element) ? MARGIN : (view.clientHeight - element.offsetHeight) / 2;
  view.scrollTop += offsetIn(view, element) - above;
}

/** Scrolls the view by as little as shows an element whole. An element taller than the view stays where it is. */
export function showWhole(view: HTMLElement, element: HTMLElement): void {
  const above = offsetIn(view, element);
  const below = view.clientHeight - above - element.offsetHeight;
  if (element.offsetHeight > view.clientHeight) return;
  if (above < 0) view.scrollTop += above;
  else if (below < 0) view.scrollTop -= below;
}

/** After an element was folded or unfolded: it stays where it is, unless the end of the view is in sight with it. */
export function keepInPlace(element: HTMLElement): void {
  const view = viewOf(element);
  if (!view) return;
  const toTheEnd = view.scrollHeight - view.scrollTop - offsetIn(view, element);
  if (distanceToEnd(view) < NEAR_END) view.dispatchEvent(new Event(STICK));
  else if (toTheEnd > view.clientHeight) view.dispatchEvent(new Event(UNSTICK));
}
