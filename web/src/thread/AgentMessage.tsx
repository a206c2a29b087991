import { EyeOff } from 'lucide-react';

import { Thoughts } from '../cards/ThinkingRow';
import { useI18n } from '../i18n';
import { Markdown } from '../markdown/Markdown';
import type { Message } from '../protocol/generated';
import { sendText } from '../state/conversation';
import { Button } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { Disclosure } from '../ui/Disclosure';

interface Props {
  message: Message;
  streaming: boolean;
  thoughts: readonly string[];
  last: boolean;
}

/** Text of the agent: left, without a bubble, over the full width. */
export function AgentMessage({ message, streaming, thoughts, last }: Props) {
  const { t, number } = useI18n();
  const cutOff = message.metadata['cut_off'] === true;
  const limit = message.metadata['cut_off_bytes'];
  if (message.metadata['withheld'] === true) {
    return (
      <p className="flex items-center gap-2 text-small text-muted">
        <EyeOff size={14} aria-hidden="true" />
        {t('said.withheld')}
      </p>
    );
  }
  return (
    <article aria-busy={streaming}>
      <h2 className="sr-only">{t('said.agent')}</h2>
      <Markdown text={message.content} streaming={streaming} />
      {cutOff && (
        <p className="mt-3 flex flex-wrap items-center gap-2 text-small text-warning">
          {typeof limit === 'number'
            ? t('said.cut_off_at', { size: number(limit / (1024 * 1024)) })
            : t('said.cut_off')}
          <Button onClick={() => void sendText(t('said.go_on'))}>{t('said.go_on')}</Button>
        </p>
      )}
      {(last || thoughts.length > 0) && !streaming && (
        <div className="mt-2 -ms-1.5 flex items-start gap-x-2">
          {last && <CopyButton text={message.content} label={t('said.copy')} />}
          {thoughts.length > 0 && (
            <Disclosure summary={t('thinking.before')} className="min-w-0 grow ps-1.5 pt-0.5">
              <Thoughts texts={thoughts} />
            </Disclosure>
          )}
        </div>
      )}
    </article>
  );
}
