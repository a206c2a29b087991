/** The message that a search or an address leads to is shown in the middle, marked for a while, and gets the focus. */

import { type RefObject, useEffect } from 'react';

import { setState, useParlor } from '../state/store';
import { showInView, UNSTICK } from '../ui/scroll_view';
import type { Row } from './rows';

/** How long it is marked, in milliseconds. */
const MARKED = 4_000;

interface Places {
  view: RefObject<HTMLElement | null>;
  list: RefObject<HTMLElement | null>;
}

export function useShownMessage({ view, list }: Places, rows: readonly Row[], drawn: boolean, renderAt: (index: number) => void): void {
  const target = useParlor((state) => state.target);
  const complete = useParlor((state) => state.live && state.opening === 'no');
  const index = target === null ? -1 : rows.findIndex((row) => messageIn(row) === target);
  const key = rows[index]?.key ?? null;
  useEffect(() => {
    if (target === null || !drawn || !complete) return;
    // It is on another path, or is not shown at all.
    if (key === null) return setState({ target: null });
    view.current?.dispatchEvent(new Event(UNSTICK));
    renderAt(index);
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        const row = list.current?.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(key)}"]`);
        if (row) show(row);
        setState({ target: null });
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [target, key, index, drawn, complete, view, list, renderAt]);
}

function show(row: HTMLElement): void {
  showInView(row);
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  // One message is marked at a time.
  document.querySelectorAll<HTMLElement>('[data-shown]').forEach((before) => delete before.dataset['shown']);
  row.dataset['shown'] = '';
  setTimeout(() => delete row.dataset['shown'], MARKED);
}

/** The id of the message that a row shows. */
export function messageIn(row: Row): string | null {
  switch (row.kind) {
    case 'person':
    case 'text':
    case 'card':
      return row.message.id;
    case 'prompt':
      return row.item.message?.id ?? null;
    default:
      return null;
  }
}
