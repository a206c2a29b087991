/**
 * A menu at a button: opens in the top layer, so nothing cuts it off; arrow keys
 * move in it, Escape and a click elsewhere close it, focus goes back to the button.
 */

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

import { classes } from './classes';

export interface MenuItem {
  key: string;
  label: ReactNode;
  icon?: ReactNode;
  critical?: boolean;
  checked?: boolean;
  /** A link instead of an action, for downloads. */
  href?: string;
  run?(): void;
}

interface Props {
  label: string;
  items: readonly MenuItem[];
  /** Renders the button, with the props of a menu button. */
  trigger(props: TriggerProps): ReactNode;
  align?: 'start' | 'end';
}

export interface TriggerProps {
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-controls': string;
  onClick(): void;
  ref(element: HTMLButtonElement | null): void;
}

export function Menu({ label, items, trigger, align = 'end' }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement | null>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = list.current;
    if (!open || !element) return;
    element.showPopover?.();
    place(element, button.current, align);
    focusAt(element, 0);
    const closed = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') setOpen(false);
    };
    const away = () => setOpen(false);
    element.addEventListener('toggle', closed);
    window.addEventListener('resize', away);
    return () => {
      element.removeEventListener('toggle', closed);
      window.removeEventListener('resize', away);
    };
  }, [open, align]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const element = list.current;
    if (!element) return;
    const all = itemsIn(element);
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'ArrowDown') focusAt(element, (at + 1) % all.length);
    else if (event.key === 'ArrowUp') focusAt(element, (at - 1 + all.length) % all.length);
    else if (event.key === 'Home') focusAt(element, 0);
    else if (event.key === 'End') focusAt(element, all.length - 1);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') return setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      {trigger({
        'aria-haspopup': 'menu',
        'aria-expanded': open,
        'aria-controls': id,
        onClick: () => setOpen(!open),
        ref: (element) => {
          button.current = element;
        },
      })}
      {open && (
        <div
          ref={list}
          id={id}
          role="menu"
          aria-label={label}
          popover="auto"
          tabIndex={-1}
          onKeyDown={onKeyDown}
          className="fixed m-0 min-w-52 max-w-[min(22rem,calc(100vw-1rem))] rounded-card border border-line bg-surface p-1 text-ink shadow-float"
        >
          {items.map((item) => (
            <MenuEntry key={item.key} item={item} close={close} />
          ))}
        </div>
      )}
    </>
  );
}

function MenuEntry({ item, close }: { item: MenuItem; close(): void }) {
  const look = classes(
    'flex w-full items-start gap-2.5 rounded-control px-3 py-2 text-start text-body hover:bg-raised focus-visible:bg-raised pointer-coarse:min-h-11 pointer-coarse:items-center',
    item.critical && 'text-critical',
  );
  const inside = (
    <>
      {item.icon && <span className="mt-0.5 shrink-0 text-muted">{item.icon}</span>}
      <span className="grow">{item.label}</span>
      {item.checked && <span aria-hidden="true">✓</span>}
    </>
  );
  const act = () => {
    close();
    item.run?.();
  };
  if (item.href !== undefined) {
    return (
      <a role="menuitem" tabIndex={-1} className={look} href={item.href} download onClick={act}>
        {inside}
      </a>
    );
  }
  if (item.checked !== undefined) {
    return (
      <button type="button" role="menuitemradio" aria-checked={item.checked} tabIndex={-1} className={look} onClick={act}>
        {inside}
      </button>
    );
  }
  return (
    <button type="button" role="menuitem" tabIndex={-1} className={look} onClick={act}>
      {inside}
    </button>
  );
}

const itemsIn = (element: HTMLElement) => [...element.querySelectorAll<HTMLElement>('[role^="menuitem"]')];

function focusAt(element: HTMLElement, index: number): void {
  itemsIn(element)[index]?.focus();
}

/** Below the button, or above it where there is no room. */
function place(element: HTMLElement, button: HTMLElement | null, align: 'start' | 'end'): void {
  if (!button) return;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const below = at.bottom + 4 + height <= window.innerHeight;
  const left = align === 'start' ? at.left : at.right - width;
  element.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - 4 - height)}px`;
  element.style.left = `${Math.min(Math.max(8, left), window.innerWidth - width - 8)}px`;
  element.style.right = 'auto';
  element.style.bottom = 'auto';
}
