/** What every plain question has around its answer: how much hangs on it, how long it waits, and what it is about. */

import { CircleHelp } from 'lucide-react';
import type { ReactNode, Ref } from 'react';

import type { UserPrompt } from '../protocol/generated';
import { useWords } from '../words';
import { Card } from './Card';
import { Countdown } from './Countdown';
import { severityWord, toneOf } from './severity';

interface Props {
  prompt: UserPrompt;
  icon?: ReactNode;
  busy: boolean;
  ref: Ref<HTMLElement>;
  children: ReactNode;
}

export function AskingCard({ prompt, icon = <CircleHelp size={18} />, busy, ref, children }: Props) {
  const words = useWords();
  return (
    <Card
      ref={ref}
      tone={toneOf(prompt.severity)}
      icon={icon}
      title={prompt.question}
      badge={severityWord(words, prompt.severity)}
      aside={prompt.expires_at !== undefined && <Countdown prompt={prompt.messageId} expiresAt={prompt.expires_at} />}
      busy={busy}
    >
      {prompt.context && <p className="text-muted">{prompt.context}</p>}
      {children}
    </Card>
  );
}
