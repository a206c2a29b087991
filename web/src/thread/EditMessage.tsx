/**
 * A message of the person is edited in its place (U-7). What is typed is a draft, so a reload loses
 * nothing; Esc and Cancel drop it.
 */

import { Pencil } from 'lucide-react';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import type { Message } from '../protocol/generated';
import { sendEdit } from '../state/again';
import { cannotBranch, draftOf, editKey, NO_DRAFT, setEdit, useParlor } from '../state/store';
import { Button, IconButton } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { MessageFiles, type ShownFile } from './MessageFiles';

/** The message whose pencil gets the focus when its editor is closed, or whose editor when it is opened. */
let wanted: string | null = null;

function openEditor({ id, content }: Message): void {
  wanted = id;
  setEdit(id, { ...NO_DRAFT, text: content });
}

function closeEditor({ id }: Message): void {
  wanted = id;
  setEdit(id, null);
}

export function EditButton({ message }: { message: Message }) {
  const { t } = useI18n();
  const blocked = useParlor(cannotBranch);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (wanted !== message.id) return;
    wanted = null;
    button.current?.focus({ preventScroll: true });
  }, [message.id]);
  return (
    <IconButton ref={button} label={t('said.edit')} disabled={blocked} onClick={() => openEditor(message)} className="size-8">
      <Pencil size={15} aria-hidden="true" />
    </IconButton>
  );
}

export function EditMessage({ message, files }: { message: Message; files: readonly ShownFile[] }) {
  const { t } = useI18n();
  const draft = useParlor((state) => draftOf(state, editKey(message.id)));
  const blocked = useParlor(cannotBranch);
  const most = useParlor((state) => state.me?.limits.message_chars ?? 10_000);
  const [without, setWithout] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const help = useId();
  const length = [...draft.text].length;
  const blank = draft.text.trim() === '' && (files.length === 0 || without);
  useLayoutEffect(() => {
    const element = field.current;
    if (wanted !== message.id || element === null) return;
    wanted = null;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, [message.id]);
  const cancel = () => closeEditor(message);
  const submit = () => {
    if (!blank && !blocked && length <= most) void sendEdit(message, draft.text, without);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      aria-label={t('edit.label')}
      onKeyDown={onEscape(cancel)}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="ms-auto max-w-full space-y-2 rounded-card border border-(--edge) bg-surface p-3 focus-within:border-accent sm:ms-20"
    >
      {files.length > 0 && !without && <MessageFiles files={files} />}
      <textarea
        ref={field}
        rows={2}
        value={draft.text}
        onChange={(event) => setEdit(message.id, { ...draft, text: event.target.value })}
        onKeyDown={onKeyDown}
        aria-label={t('composer.message')}
        aria-describedby={help}
        dir="auto"
        enterKeyHint="send"
        className="block max-h-[calc(12lh+1rem)] w-full resize-none bg-transparent text-[1rem] leading-6 outline-none field-sizing-content"
      />
      <p id={help} className="text-small text-muted">
        {length > most ? t('reason.input_too_long') : t('edit.stays')}
      </p>
      <div className="flex flex-wrap justify-end gap-2">
        {files.length > 0 && (
          <Button look="quiet" onClick={() => setWithout(!without)} className="me-auto">
            {t(without ? 'edit.with_files' : 'edit.without_files')}
          </Button>
        )}
        <Button look="quiet" onClick={cancel}>
          {t('edit.cancel')}
        </Button>
        <Button look="primary" type="submit" disabled={blank || blocked || length > most}>
          {t('composer.send')}
        </Button>
      </div>
    </form>
  );
}
