/** P-4: the time until a prompt expires, and a button to keep it waiting. */

import { useEffect, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { serverNow } from '../net/clock';
import { keepWaiting } from '../state/conversation';
import { announce } from '../ui/announce';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';

const RADIUS = 8;
const ROUND = 2 * Math.PI * RADIUS;

/** Announced once when so many seconds are left, early enough to ask for more time (WCAG 2.2.1). */
const TOLD_AT = 20;

/** As high with the note as with the ring and the button, so that nothing moves when one replaces the other. */
const PLACE = 'flex min-h-9 shrink-0 flex-wrap items-center justify-end gap-x-2 max-sm:ps-[26px] pointer-coarse:min-h-11';

interface Props {
  prompt: string;
  /** Undefined if it has no deadline. */
  expiresAt: number | undefined;
  /** Whether whoever reads it cannot change it. */
  fixed?: boolean;
}

export function Countdown({ prompt, expiresAt, fixed = false }: Props) {
  const counted = useRef(false);
  // The deadline that was put off here; a later one can be put off again.
  const [putOff, setPutOff] = useState<number | null>(null);
  counted.current ||= expiresAt !== undefined;
  if (expiresAt === undefined) return counted.current ? <Waits asked={putOff !== null} /> : null;
  const more = () => {
    setPutOff(expiresAt);
    void keepWaiting(prompt).then((refusal) => refusal && setPutOff(null));
  };
  return <Counting expiresAt={expiresAt} asked={putOff === expiresAt} more={fixed ? null : more} />;
}

interface CountingProps {
  expiresAt: number;
  asked: boolean;
  /** None if the time cannot be changed. */
  more: (() => void) | null;
}

function Counting({ expiresAt, asked, more }: CountingProps) {
  const { t, count } = useI18n();
  const left = Math.max(0, expiresAt - serverNow(useNow(250)));
  const whole = useRef(0);
  whole.current = Math.max(whole.current, left);
  const seconds = Math.ceil(left / 1000);
  const part = whole.current === 0 ? 0 : left / whole.current;
  const over = asked || seconds === 0;
  useLateWarning(seconds);
  return (
    <div className={PLACE}>
      <span className="flex items-center gap-1.5 text-small text-muted tabular" role="timer" aria-label={count('prompt.seconds_left', seconds)}>
        <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20" className="-rotate-90">
          <circle cx="10" cy="10" r={RADIUS} fill="none" strokeWidth="2" className="stroke-line" />
          <circle
            cx="10"
            cy="10"
            r={RADIUS}
            fill="none"
            strokeWidth="2"
            strokeDasharray={ROUND}
            strokeDashoffset={ROUND * (1 - part)}
            className={seconds <= 10 ? 'stroke-warning' : 'stroke-question'}
          />
        </svg>
        {clock(seconds)}
      </span>
      {/* A button that is disabled would lose the focus before the note can have it. */}
      {more !== null && (
        <Button aria-disabled={over} onClick={() => !over && more()} className="py-0! aria-disabled:cursor-not-allowed aria-disabled:text-muted">
          {t('prompt.keep_waiting')}
        </Button>
      )}
    </div>
  );
}

/** In place of the countdown. It gets the focus if its button was pressed here, and is announced otherwise. */
function Waits({ asked }: { asked: boolean }) {
  const { t } = useI18n();
  const note = useRef<HTMLParagraphElement>(null);
  const text = t('prompt.waits');
  const done = useRef(false);
  useEffect(() => {
    // Once, when it comes; not when the language changes.
    if (done.current) return;
    done.current = true;
    if (asked && document.activeElement === document.body) note.current?.focus({ preventScroll: true });
    else announce(text);
  }, [asked, text]);
  return (
    <div className={PLACE}>
      <p ref={note} tabIndex={-1} className="rounded-control text-small text-muted">
        {text}
      </p>
    </div>
  );
}

/** Announces the last seconds once. A prompt that opens with so few was announced just now. */
function useLateWarning(seconds: number): void {
  const { count } = useI18n();
  const late = seconds <= TOLD_AT;
  const known = useRef(late);
  useEffect(() => {
    if (late && !known.current) announce(count('prompt.seconds_left', seconds));
    known.current = late;
  }, [late, seconds, count]);
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
