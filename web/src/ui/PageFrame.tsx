/** A page of its own, in place of the conversation: its heading has the focus, Escape and a button lead back. */

import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';

import { IconButton } from './Button';
import { onEscape } from './escape';

interface Props {
  title: string;
  /** Beside the title. */
  note?: ReactNode;
  closeLabel: string;
  close(): void;
  children: ReactNode;
}

export function PageFrame({ title, note, closeLabel, close, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main aria-label={title} className="min-h-0 min-w-0 grow overflow-y-auto" tabIndex={0} onKeyDown={onEscape(close)}>
      <div className="mx-auto max-w-[48rem] space-y-8 px-4 py-8 sm:px-8">
        <div className="flex items-start justify-between gap-4">
          <div className="min-w-0">
            <h1 ref={heading} tabIndex={-1} className="rounded-control font-serif text-display font-semibold focus-visible:outline-none">{title}</h1>
            {note && <p className="text-muted">{note}</p>}
          </div>
          <IconButton label={closeLabel} onClick={close}>
            <X size={18} aria-hidden="true" />
          </IconButton>
        </div>
        {children}
      </div>
    </main>
  );
}
