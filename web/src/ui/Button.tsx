import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

import { classes } from './classes';

type Look = 'primary' | 'secondary' | 'quiet' | 'critical';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

const LOOKS: Record<Look, string> = {
  primary: 'bg-accent text-on-accent border-transparent hover:brightness-110 disabled:bg-raised disabled:text-muted',
  critical: 'bg-critical text-on-critical border-transparent hover:brightness-110 disabled:bg-raised disabled:text-muted',
  secondary: 'bg-surface text-ink border-(--outline) hover:bg-raised disabled:text-muted',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-raised hover:text-ink',
};

const SHAPE =
  'inline-flex items-center justify-center gap-2 rounded-control border px-3.5 min-h-9 py-1.5 text-body font-medium ' +
  'transition-[background-color,filter] duration-100 select-none disabled:cursor-not-allowed disabled:brightness-100 ' +
  'pointer-coarse:min-h-11';

export function Button({ look = 'secondary', icon, children, className, type = 'button', ...rest }: Props) {
  return (
    <button type={type} className={classes(SHAPE, LOOKS[look], className)} {...rest}>
      {icon}
      {children}
    </button>
  );
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with only an icon; its label is for screen readers, and the tooltip. */
export function IconButton({ label, children, className, type = 'button', ...rest }: IconProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={classes(
        'inline-grid size-9 shrink-0 place-items-center rounded-control text-muted transition-colors duration-100',
        'hover:bg-raised hover:text-ink disabled:cursor-not-allowed disabled:opacity-50 pointer-coarse:size-11',
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  );
}
