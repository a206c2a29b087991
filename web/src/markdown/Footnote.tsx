/** Links between a footnote and its reference, inside one message. */

import type { MouseEvent, ReactNode } from 'react';

import { showInView } from '../ui/scroll_view';

/** The prefix of the ids of footnotes. */
export const NOTE = 'note-';

export function isFootnote(href: string | undefined): href is string {
  return href?.startsWith(`#${NOTE}`) === true;
}

interface Props {
  to: string;
  id: string | undefined;
  label: string | undefined;
  children: ReactNode;
}

export function FootnoteLink({ to, id, label, children }: Props) {
  const go = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    const text = event.currentTarget.closest('.markdown');
    const target = document.getElementById(to.slice(1));
    if (!target || !text?.contains(target)) return;
    if (target.tabIndex < 0) target.tabIndex = -1;
    showInView(target);
    target.focus({ preventScroll: true });
  };
  return (
    <a href={to} id={id} aria-label={label} onClick={go}>
      {children}
    </a>
  );
}
