/** Which of several versions of a message is shown: "‹ 2 / 3 ›" (U-7). */

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';

import { useI18n } from '../i18n';
import { chooseBranch } from '../state/again';
import { cannotBranch, useParlor } from '../state/store';
import { announce } from '../ui/announce';
import { IconButton } from '../ui/Button';

/** The version that was chosen here, and by which button: it gets the focus once it is shown. */
let wanted: { turn: string; step: -1 | 1 } | null = null;

export function VersionSwitch({ turn, versions }: { turn: string; versions: readonly string[] }) {
  const { t } = useI18n();
  const blocked = useParlor(cannotBranch);
  const group = useRef<HTMLDivElement>(null);
  const at = versions.indexOf(turn);
  const label = t('version.of', { at: String(at + 1), count: String(versions.length) });
  useLayoutEffect(() => {
    if (wanted?.turn !== turn) return;
    const buttons = [...(group.current?.querySelectorAll('button') ?? [])];
    const pressed = wanted.step < 0 ? buttons[0] : buttons[1];
    (pressed?.disabled ? buttons.find((button) => !button.disabled) : pressed)?.focus({ preventScroll: true });
    wanted = null;
    announce(label);
  }, [turn, label]);
  const go = (step: -1 | 1) => {
    const next = versions[at + step];
    if (next === undefined || blocked) return;
    wanted = { turn: next, step };
    void chooseBranch(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : null;
    if (step === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(step);
  };
  return (
    <div ref={group} role="group" aria-label={label} onKeyDown={onKeyDown} className="flex items-center">
      <IconButton label={t('version.previous')} disabled={blocked || at === 0} onClick={() => go(-1)} className="size-8">
        <ChevronLeft size={16} aria-hidden="true" />
      </IconButton>
      <span className="text-small tabular whitespace-nowrap" aria-hidden="true">
        {at + 1} / {versions.length}
      </span>
      <IconButton label={t('version.next')} disabled={blocked || at === versions.length - 1} onClick={() => go(1)} className="size-8">
        <ChevronRight size={16} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
