/** P-4: how long a prompt still waits, and a way to make it wait. */

import { useRef, useState } from 'react';

import { serverNow } from '../net/clock';
import { keepWaiting } from '../state/conversation';
import { useNow } from '../ui/now';
import { useWords } from '../words';

const RADIUS = 8;
const ROUND = 2 * Math.PI * RADIUS;

export function Countdown({ prompt, expiresAt }: { prompt: string; expiresAt: number }) {
  const { t, count } = useWords();
  const left = Math.max(0, expiresAt - serverNow(useNow(250)));
  const whole = useRef(0);
  const [asked, setAsked] = useState(false);
  whole.current = Math.max(whole.current, left);
  const seconds = Math.ceil(left / 1000);
  const part = whole.current === 0 ? 0 : left / whole.current;
  return (
    <div className="flex shrink-0 flex-wrap items-center justify-end gap-x-2 max-sm:ps-[26px]">
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
      <button
        type="button"
        disabled={asked || seconds === 0}
        onClick={() => {
          setAsked(true);
          void keepWaiting(prompt).then((refusal) => refusal && setAsked(false));
        }}
        className="rounded-control px-1.5 py-1 text-small font-medium text-accent underline-offset-3 hover:underline disabled:text-muted pointer-coarse:min-h-11"
      >
        {t('prompt.keep_waiting')}
      </button>
    </div>
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
