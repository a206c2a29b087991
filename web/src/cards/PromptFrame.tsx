/** What every open prompt has around its answer: severity, countdown and context. */

import { CircleHelp } from 'lucide-react';
import type { ReactNode, Ref } from 'react';

import { useI18n } from '../i18n';
import type { UserPrompt } from '../protocol/generated';
import { Card, type Tone } from './Card';
import { useCardKeys } from './card_keys';
import { Countdown } from './Countdown';
import { severityLabel, toneOf } from './severity';

/** A prompt; or, without an id, a question in a message, which has no countdown. */
export type FramedPrompt = Pick<UserPrompt, 'question' | 'context' | 'severity' | 'expires_at' | 'ends_with_agent'> & Partial<Pick<UserPrompt, 'messageId'>>;

interface Props {
  asked: FramedPrompt;
  icon?: ReactNode;
  /** By severity, unless the card sets its own. */
  tone?: Tone;
  title?: ReactNode;
  badge?: ReactNode;
  /** Before the context. */
  lead?: ReactNode;
  busy: boolean;
  /** Whether its time cannot be changed by whoever reads it. */
  fixed?: boolean;
  ref: Ref<HTMLElement>;
  children: ReactNode;
}

export function PromptFrame({ asked, icon = <CircleHelp size={18} />, tone, title, badge, lead, busy, fixed = false, ref, children }: Props) {
  const i18n = useI18n();
  const keys = useCardKeys();
  return (
    <Card
      ref={ref}
      keys={keys}
      tone={tone ?? toneOf(asked.severity)}
      icon={icon}
      title={title ?? asked.question}
      badge={badge ?? severityLabel(i18n, asked.severity)}
      aside={asked.messageId !== undefined && <Countdown prompt={asked.messageId} expiresAt={asked.expires_at} fixed={fixed} />}
      busy={busy}
    >
      {lead}
      {asked.context && <p dir="auto" className="text-muted">{asked.context}</p>}
      {asked.ends_with_agent && <p className="text-small text-muted">{i18n.t('prompt.ends_with_agent')}</p>}
      {children}
    </Card>
  );
}
