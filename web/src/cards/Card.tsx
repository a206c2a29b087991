/** The layout that all cards share: a rule in the colour of their meaning, title, body, actions. */

import { type HTMLAttributes, type ReactNode, type Ref, useId } from 'react';

import { classes } from '../ui/classes';

export type Tone = 'question' | 'warning' | 'critical' | 'success' | 'accent' | 'quiet';

const RULES: Record<Tone, string> = {
  question: 'shadow-[inset_3px_0_0_var(--question)]',
  warning: 'shadow-[inset_3px_0_0_var(--warning)]',
  critical: 'shadow-[inset_3px_0_0_var(--critical)]',
  success: 'shadow-[inset_3px_0_0_var(--success)]',
  accent: 'shadow-[inset_3px_0_0_var(--accent)]',
  quiet: 'shadow-[inset_3px_0_0_var(--line)]',
};

const INKS: Record<Tone, string> = {
  question: 'text-question',
  warning: 'text-warning',
  critical: 'text-critical',
  success: 'text-success',
  accent: 'text-accent',
  quiet: 'text-muted',
};

interface Props {
  tone: Tone;
  icon: ReactNode;
  title: ReactNode;
  /** A label beside the title, such as the severity. */
  badge?: ReactNode;
  /** At the far end of the title, such as a countdown. */
  aside?: ReactNode;
  children?: ReactNode;
  ref?: Ref<HTMLElement>;
  /** Key handlers. */
  keys?: Pick<HTMLAttributes<HTMLElement>, 'onKeyDown' | 'onBlur'>;
  busy?: boolean;
}

export function Card({ tone, icon, title, badge, aside, children, ref, keys, busy }: Props) {
  const id = useId();
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-labelledby={id}
      aria-busy={busy}
      data-card={tone}
      {...keys}
      className={classes(
        'animate-arrive scroll-m-6 rounded-card border border-line bg-surface py-4 ps-5 pe-4',
        RULES[tone],
      )}
    >
      <div className="flex flex-wrap items-start gap-x-2.5 gap-y-1">
        <span aria-hidden="true" className={classes('mt-[3px] shrink-0', INKS[tone])}>
          {icon}
        </span>
        <div className="min-w-0 grow basis-0 max-sm:basis-[calc(100%-2rem)]">
          <h3 id={id} dir="auto" className="font-semibold">
            {title}
          </h3>
          {badge && <p className={classes('text-small font-semibold', INKS[tone])}>{badge}</p>}
        </div>
        {aside}
      </div>
      {children && <div className="mt-3 space-y-3 sm:ps-[26px]">{children}</div>}
    </section>
  );
}

/** The buttons at the foot of a card. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-2 pt-1">{children}</div>;
}

/** Why an answer was refused. */
export function Trouble({ text, id }: { text: string | null; id?: string }) {
  return (
    <p role="alert" id={id} className={classes('text-small font-medium text-critical', !text && 'hidden')}>
      {text}
    </p>
  );
}
