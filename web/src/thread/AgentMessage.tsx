import { EyeOff, MailWarning, RotateCcw, TextQuote } from 'lucide-react';

import { SourceName } from '../cards/Influence';
import { Thoughts } from '../cards/ThinkingRow';
import { useI18n } from '../i18n';
import { Markdown } from '../markdown/Markdown';
import type { Message, Source } from '../protocol/generated';
import { regenerate } from '../state/again';
import { sendText } from '../state/conversation';
import type { ToolItem } from '../state/model';
import { cannotBranch, useParlor } from '../state/store';
import { Button, IconButton } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { Disclosure } from '../ui/Disclosure';
import { quote } from './quote';

interface Props {
  message: Message;
  streaming: boolean;
  thoughts: readonly string[];
  last: boolean;
  /** What was read before it that others may have written. */
  read: readonly ToolItem[];
  /** The person's message that it answers, if another answer can be asked for. */
  asked: Message | null;
}

/** Text of the agent: left, without a bubble, over the full width. */
export function AgentMessage({ message, streaming, thoughts, last, read, asked }: Props) {
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
      {read.length > 0 && !streaming && (
        <p className="mt-2 flex items-start gap-2 text-small text-muted">
          <MailWarning size={14} aria-hidden="true" className="mt-[3px] shrink-0" />
          <span>
            {t('said.read_before')}{' '}
            {read.map((item, at) => (
              <span key={item.key}>
                {at > 0 && ', '}
                <SourceName source={sourceOf(item)} />
              </span>
            ))}
          </span>
        </p>
      )}
      {(last || thoughts.length > 0) && !streaming && (
        <div className="mt-2 -ms-1.5 flex items-start gap-x-2">
          {last && (
            <span className="flex">
              <CopyButton text={message.content} label={t('said.copy')} />
              <IconButton label={t('said.quote_all')} onClick={() => quote(message.content)} className="size-8">
                <TextQuote size={15} aria-hidden="true" />
              </IconButton>
              {asked && <AnotherAnswer asked={asked} />}
            </span>
          )}
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

/** U-7: asks for another answer; this one stays. */
function AnotherAnswer({ asked }: { asked: Message }) {
  const { t } = useI18n();
  const blocked = useParlor(cannotBranch);
  return (
    <IconButton label={t('said.regenerate')} disabled={blocked} onClick={() => void regenerate(asked)} className="size-8">
      <RotateCcw size={15} aria-hidden="true" />
    </IconButton>
  );
}

function sourceOf({ tool, result }: ToolItem): Source {
  const what = result?.metadata['read'];
  return { server: '', tool, ...(typeof what === 'string' ? { what } : {}) };
}
