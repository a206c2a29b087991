import { CircleAlert } from 'lucide-react';
import { useMemo } from 'react';

import { answerText } from '../cards/outcome';
import { useI18n } from '../i18n';
import type { Message } from '../protocol/generated';
import { resend, editUndelivered } from '../state/conversation';
import type { PromptItem } from '../state/model';
import { editKey, type Outgoing, useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { EditButton, EditMessage } from './EditMessage';
import { filesOf, filesOnTheWay, MessageFiles, type ShownFile } from './MessageFiles';
import { VersionSwitch } from './VersionSwitch';

interface Props {
  message: Message;
  answers: PromptItem | null;
  /** The turns that are versions of its turn, in order; empty if there is one. */
  versions: readonly string[];
  editable: boolean;
}

/** A person's message: right, raised, as plain text. */
export function PersonMessage({ message, answers, versions, editable }: Props) {
  const { t } = useI18n();
  const words = useOwnWords(message, answers);
  const editing = useParlor((state) => editable && state.drafts[editKey(message.id)] !== undefined);
  const files = useMemo(() => filesOf(message), [message]);
  if (editing) return <EditMessage message={message} files={files} />;
  return (
    <>
      <Said text={words} files={files} />
      {(editable || versions.length > 0) && (
        <div className="-me-1.5 mt-1 flex items-center justify-end gap-1 text-muted">
          {versions.length > 0 && <VersionSwitch turn={message.turn_id} versions={versions} />}
          {editable && <EditButton message={message} />}
        </div>
      )}
      {message.metadata['changes_stay'] === true && <p className="mt-1.5 text-end text-small text-muted">{t('said.changes_stay')}</p>}
      {message.metadata['clears'] === true && <p className="mt-1.5 text-end text-small text-muted">{t('said.cleared')}</p>}
    </>
  );
}

/** The server writes a clicked answer in English; here it is the label of the button. Typed text stays as it is. */
function useOwnWords({ content }: Message, answers: PromptItem | null): string {
  const i18n = useI18n();
  const response = answers?.closed?.response;
  const clicked = answers?.prompt.promptType === 'confirm' || (answers?.prompt.promptType === 'plan' && response === 'execute');
  return (answers && clicked && answerText(i18n, answers.prompt, response)) || content;
}

export function OutgoingMessage({ outgoing }: { outgoing: Outgoing }) {
  const { t } = useI18n();
  return (
    <div>
      <Said text={outgoing.text} files={filesOnTheWay(outgoing.files)} />
      {outgoing.state === 'waiting' && (
        <p className="mt-1.5 text-end text-small text-muted" role="status">
          {t('outgoing.waiting')}
        </p>
      )}
      {outgoing.state === 'failed' && (
        <div className="mt-2 flex flex-wrap items-center justify-end gap-2" role="alert">
          <span className="flex items-center gap-1.5 text-small font-medium text-critical">
            <CircleAlert size={15} aria-hidden="true" />
            {t('outgoing.failed')}
          </span>
          <Button onClick={() => void resend()}>{t('try_again')}</Button>
          <Button look="quiet" onClick={editUndelivered}>
            {t('outgoing.edit')}
          </Button>
        </div>
      )}
    </div>
  );
}

function Said({ text, files }: { text: string; files: readonly ShownFile[] }) {
  const { t } = useI18n();
  const readOnly = useParlor((state) => state.readOnly);
  return (
    <article className="flex flex-col items-end gap-2 ps-10 sm:ps-20">
      <h2 className="sr-only">{t(readOnly ? 'shared.person' : 'said.you')}</h2>
      <MessageFiles files={files} />
      {text !== '' && (
        <p dir="auto" className="max-w-full rounded-card rounded-ee-[3px] bg-raised px-4 py-2.5 whitespace-pre-wrap">{text}</p>
      )}
    </article>
  );
}
