/**
 * The message field: grows to eight lines, takes files by button, paste or drop
 * anywhere on the page, sends with Enter. A refused message stays in it, with the
 * reason above.
 */

import { ArrowUp, Paperclip, Square } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { send, setMode, stop } from '../state/conversation';
import { openPrompt } from '../state/branches';
import { type NotAttached, OFFERED, readFile, USUAL_LIMITS } from '../state/files';
import { useSettings } from '../state/settings';
import { currentDraft, currentProject, getState, setDraft, setState, useParlor } from '../state/store';
import { IconButton } from '../ui/Button';
import { classes } from '../ui/classes';
import { isKey } from '../ui/keys';
import { Allowances } from './Allowances';
import { Attachments } from './Attachments';
import { ComposerNotice, type Tried } from './ComposerNotice';
import { useDroppedFiles } from './file_drop';
import { COMPOSER_ID } from './focus';
import { ModeSwitch } from './ModeSwitch';
import { isBlank, lengthOf, mostOf, sendDisabledReason } from './send_disabled';
import { StopQuestion } from './StopQuestion';

const NONE: readonly string[] = [];

export function Composer() {
  const i18n = useI18n();
  const { t } = i18n;
  const draft = useParlor(currentDraft);
  const mode = useParlor((state) => state.mode);
  const running = useParlor((state) => state.conversation.turn !== null);
  const stopping = useParlor((state) => state.stopping);
  const prompt = useParlor((state) => openPrompt(state.conversation)?.messageId ?? null);
  const blocker = useParlor(sendDisabledReason);
  const blank = useParlor(isBlank);
  const length = useParlor(lengthOf);
  const most = useParlor(mostOf);
  const enter = useSettings((state) => state.enter);
  const conversation = useParlor((state) => state.conversation.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<readonly NotAttached[]>([]);
  const [tried, setTried] = useState<Tried | null>(null);
  const [stops, setStops] = useState(false);

  useEffect(() => setRefused([]), [conversation]);

  useEffect(() => {
    // On a phone the on-screen keyboard would cover the messages.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, [conversation]);

  useGrowing(field, draft.text);

  /** Sends, or shows why that is not possible. */
  const submit = () => {
    if (blank) return;
    setRefused([]);
    setTried((before) => blocker && { blocker, count: (before?.count ?? 0) + 1 });
    if (blocker === null) void send();
  };
  const attach = async (files: readonly File[]) => {
    if (files.length === 0) return;
    const troubles: NotAttached[] = [];
    const place = getState().conversation.id;
    for (const file of files) {
      const state = getState();
      const limits = state.me?.limits ?? USUAL_LIMITS;
      const read = await readFile(file, currentDraft(state).files, limits, currentProject(state)?.takes_pictures ?? true);
      // Another conversation was opened meanwhile: its draft is not this one.
      if (getState().conversation.id !== place) return;
      if (typeof read === 'string') troubles.push({ name: file.name, why: read });
      else {
        const { files: before, missing = [] } = currentDraft(getState());
        setDraft({ files: [...before, read], missing: missing.filter((name) => name !== read.name) });
      }
    }
    setRefused(troubles);
    setState({ notice: null });
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // A table or a page is copied as text and as a picture of it: the text is meant.
    if (files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    void attach(files);
  };
  const remove = (at: number) => {
    setDraft({ files: draft.files.filter((_, other) => other !== at) });
    field.current?.focus({ preventScroll: true });
  };
  const over = useDroppedFiles((files) => void attach(files));
  const onKeyDown = (event: KeyboardEvent) => {
    const sends = isKey(event, 'send_always') || (enter === 'send' && isKey(event, 'send'));
    if (!sends || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };

  return (
    <div className="space-y-2">
      <Allowances />
      {stops && running && prompt !== null ? (
        <StopQuestion leave={() => setStops(false)} />
      ) : (
        <ComposerNotice missing={draft.missing ?? NONE} waiting={prompt} tried={tried?.blocker === blocker ? tried : null} />
      )}
      <form
        aria-label={t('composer.label')}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        className={classes(
          'relative rounded-card border bg-surface shadow-float transition-colors duration-100 focus-within:border-accent',
          over ? 'border-accent' : 'border-(--edge)',
        )}
      >
        {over && (
          <p className="pointer-events-none absolute inset-0 z-10 grid place-items-center rounded-card bg-surface font-medium text-accent">
            {t('composer.drop')}
          </p>
        )}
        <Attachments
          files={draft.files}
          refused={refused}
          remove={remove}
          dismiss={(at) => setRefused(refused.filter((_, other) => other !== at))}
        />
        <textarea
          ref={field}
          id={COMPOSER_ID}
          rows={1}
          value={draft.text}
          onChange={(event) => {
            setDraft({ text: event.target.value });
            setState({ notice: null });
            setTried(null);
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          placeholder={t(mode === 'plan' ? 'composer.placeholder_plan' : 'composer.placeholder')}
          aria-label={t('composer.message')}
          dir="auto"
          enterKeyHint={enter === 'send' ? 'send' : 'enter'}
          className="block max-h-[calc(8lh+1.5rem)] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-[1rem] leading-6 outline-none field-sizing-content"
        />
        <div className="flex items-center gap-1.5 p-2">
          <input
            ref={picker}
            type="file"
            multiple
            accept={OFFERED}
            className="hidden"
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              void attach([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <IconButton label={t('composer.attach')} onClick={() => picker.current?.click()}>
            <Paperclip size={18} aria-hidden="true" />
          </IconButton>
          <ModeSwitch mode={mode} change={(fresh) => void setMode(fresh)} />
          <span className="grow" />
          {length > most * 0.9 && (
            <span className={classes('text-small tabular', length > most ? 'font-medium text-critical' : 'text-muted')} role="status">
              {t('composer.length', { length: i18n.number(length), most: i18n.number(most) })}
            </span>
          )}
          {running ? (
            <button
              // Another element than the send button: a double click must not stop the turn that it began.
              key="stop"
              type="button"
              // It stands where the send button was: a click must not withdraw an open prompt.
              onClick={() => (prompt === null ? void stop() : setStops(true))}
              disabled={stopping}
              aria-label={t('composer.stop')}
              title={t(prompt === null ? 'composer.stop_hint' : 'composer.stop')}
              className="grid size-9 place-items-center rounded-full bg-ink text-page hover:opacity-85 disabled:opacity-50 pointer-coarse:size-11"
            >
              <Square size={13} fill="currentColor" aria-hidden="true" />
            </button>
          ) : (
            <button
              key="send"
              type="submit"
              // Unless it is blank it can be pressed, and shows why it does not send.
              disabled={blank}
              aria-disabled={blocker !== null}
              aria-label={t('composer.send')}
              title={t('composer.send')}
              className="grid size-9 place-items-center rounded-full bg-accent text-on-accent transition-colors duration-100 hover:brightness-110 disabled:bg-raised disabled:text-muted disabled:brightness-100 aria-disabled:bg-raised aria-disabled:text-muted aria-disabled:brightness-100 pointer-coarse:size-11"
            >
              <ArrowUp size={18} aria-hidden="true" />
            </button>
          )}
        </div>
      </form>
    </div>
  );
}

/** Grows with its text, for browsers without `field-sizing`. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || globalThis.CSS?.supports?.('field-sizing', 'content')) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}
