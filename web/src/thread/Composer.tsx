/**
 * Where a person writes: grows to eight lines, takes a picture by button, paste
 * or drop, sends with Enter. What was refused is still there, with the reason.
 */

import { ArrowUp, ImagePlus, Square, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { send, setMode, stop } from '../state/conversation';
import { openPrompt } from '../state/model';
import { PICTURE_TYPES, type PictureTrouble, pictureTrouble, readPicture } from '../state/pictures';
import { currentDraft, setDraft, setState, useParlor } from '../state/store';
import { IconButton } from '../ui/Button';
import { classes } from '../ui/classes';
import { useWords } from '../words';
import { Allowances } from './Allowances';
import { ComposerNotice } from './ComposerNotice';
import { ModeSwitch } from './ModeSwitch';

/** Other parts send the focus here. */
export const COMPOSER_ID = 'composer';

export function focusComposer(): void {
  document.getElementById(COMPOSER_ID)?.focus();
}

export function Composer() {
  const words = useWords();
  const { t } = words;
  const draft = useParlor(currentDraft);
  const mode = useParlor((state) => state.mode);
  const running = useParlor((state) => state.conversation.turn !== null);
  const stopping = useParlor((state) => state.stopping);
  const busy = useParlor((state) => state.outgoing !== null && state.outgoing.state !== 'failed');
  const prompt = useParlor((state) => openPrompt(state.conversation)?.messageId ?? null);
  const limits = useParlor((state) => state.me?.limits);
  const conversation = useParlor((state) => state.conversation.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [trouble, setTrouble] = useState<PictureTrouble | null>(null);
  const [over, setOver] = useState(false);

  useEffect(() => {
    // On a phone the keyboard would cover what one wants to read first.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, [conversation]);

  useGrowing(field, draft.text);

  const most = limits?.message_chars ?? 10_000;
  const length = [...draft.text].length;
  const blank = draft.text.trim() === '' && draft.picture === null;
  // A prompt that no turn waits for may be passed over.
  const ready = !blank && length <= most && !busy && !running;

  const attach = async (file: File | undefined) => {
    if (!file) return;
    const found = pictureTrouble(file, limits?.image_bytes ?? 5 * 1024 * 1024);
    setTrouble(found);
    if (found === null) setDraft({ picture: await readPicture(file, file.name) });
  };
  const onPaste = (event: ClipboardEvent) => {
    const file = [...event.clipboardData.files].find((one) => one.type.startsWith('image/'));
    if (!file) return;
    event.preventDefault();
    void attach(file);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void attach(event.dataTransfer.files[0]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (ready) void send();
  };

  return (
    <div className="space-y-2">
      <Allowances />
      <ComposerNotice pictureTrouble={trouble} waiting={prompt} />
      <form
        aria-label={t('composer.label')}
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) void send();
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
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
        {draft.picture && <Attached url={draft.picture.url} name={draft.picture.name} remove={() => setDraft({ picture: null })} />}
        <textarea
          ref={field}
          id={COMPOSER_ID}
          rows={1}
          value={draft.text}
          onChange={(event) => {
            setDraft({ text: event.target.value });
            setState({ notice: null });
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          placeholder={t(mode === 'plan' ? 'composer.placeholder_plan' : 'composer.placeholder')}
          aria-label={t('composer.message')}
          enterKeyHint="send"
          className="block max-h-[calc(8lh+1.5rem)] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-[1rem] leading-6 outline-none field-sizing-content"
        />
        <div className="flex items-center gap-1.5 p-2">
          <input
            ref={picker}
            type="file"
            accept={PICTURE_TYPES.join(',')}
            className="hidden"
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              void attach(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
          <IconButton label={t('composer.attach')} onClick={() => picker.current?.click()}>
            <ImagePlus size={18} aria-hidden="true" />
          </IconButton>
          <ModeSwitch mode={mode} change={(fresh) => void setMode(fresh)} />
          <span className="grow" />
          {length > most * 0.9 && (
            <span className={classes('text-small tabular', length > most ? 'font-medium text-critical' : 'text-muted')} role="status">
              {t('composer.length', { length: words.number(length), most: words.number(most) })}
            </span>
          )}
          {running ? (
            <button
              type="button"
              onClick={() => void stop()}
              disabled={stopping}
              aria-label={t('composer.stop')}
              title={t('composer.stop_hint')}
              className="grid size-9 place-items-center rounded-full bg-ink text-page hover:opacity-85 disabled:opacity-50 pointer-coarse:size-11"
            >
              <Square size={13} fill="currentColor" aria-hidden="true" />
            </button>
          ) : (
            <button
              type="submit"
              disabled={!ready}
              aria-label={t('composer.send')}
              title={t('composer.send')}
              className="grid size-9 place-items-center rounded-full bg-accent text-on-accent transition-colors duration-100 hover:brightness-110 disabled:bg-raised disabled:text-muted disabled:brightness-100 pointer-coarse:size-11"
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

function Attached({ url, name, remove }: { url: string; name: string; remove(): void }) {
  const { t } = useWords();
  return (
    <div className="flex items-center gap-3 px-3 pt-3">
      <img src={url} alt={t('composer.attached')} className="size-16 rounded-control border border-line object-cover" />
      <span className="min-w-0 truncate text-small text-muted">{name}</span>
      <IconButton label={t('composer.detach')} onClick={remove}>
        <X size={16} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
