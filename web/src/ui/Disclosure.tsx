/** A line that unfolds. The content stays mounted once it was open, so that nothing typed in it is lost. */

import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';

import { classes } from './classes';
import { onEscape } from './escape';
import { keepInPlace } from './scroll_view';

interface Props {
  summary: ReactNode;
  children: ReactNode;
  startsOpen?: boolean;
  className?: string;
}

export function Disclosure({ summary, children, startsOpen = false, className }: Props) {
  const [open, setOpen] = useState(startsOpen);
  const unfolded = useRef(open);
  unfolded.current ||= open;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(open);
  useLayoutEffect(() => {
    if (before.current !== open && place.current) keepInPlace(place.current);
    before.current = open;
  }, [open]);
  const fold = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div ref={place} className={className} onKeyDown={open ? onEscape(fold) : undefined}>
      <button
        ref={button}
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="-mx-1.5 inline-flex max-w-full items-center gap-1.5 rounded-control px-1.5 py-1 text-start text-small text-muted hover:bg-raised hover:text-ink pointer-coarse:min-h-11"
      >
        <ChevronRight
          aria-hidden="true"
          size={14}
          className={classes('shrink-0 transition-transform duration-100', open && 'rotate-90')}
        />
        {summary}
      </button>
      <div id={id} hidden={!open}>
        {unfolded.current && children}
      </div>
    </div>
  );
}
