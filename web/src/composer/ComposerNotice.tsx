import { CircleAlert, CircleHelp, Gauge } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';

import { useI18n } from '../i18n';
import { nearText } from '../i18n/budgets';
import { reasonFor } from '../i18n/reasons';
import { serverNow } from '../net/clock';
import { mayAnswer } from '../state/approvers';
import { openPrompt } from '../state/branches';
import { nearlyUsedUp, useBudgets } from '../state/budgets';
import { setState, useParlor } from '../state/store';
import { useNow } from '../ui/now';
import { showInView } from '../ui/scroll_view';
import { NotifyMe } from './NotifyMe';
import { SEND_DISABLED_TEXTS, type SendDisabledReason } from './send_disabled';

interface Props {
  /** Files that did not survive a reload. */
  missing: readonly string[];
  /** The prompt that has to be answered first. */
  waiting: string | null;
  /** The last attempt to send, if it was not possible. */
  tried: Tried | null;
}

export interface Tried {
  blocker: SendDisabledReason;
  /** Counts the attempts, so that each one is announced. */
  count: number;
}

/** Above the composer: why a message was not sent, or what has to be answered first. */
export function ComposerNotice({ missing, waiting, tried }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const notice = useParlor((state) => state.notice);
  const mine = useParlor((state) => mayAnswer(state.me, openPrompt(state.conversation)?.approvers));
  if (notice?.refusal.code === 'rate_limited' && notice.refusal.retryAfter !== null) {
    return <Wait key={notice.at} until={notice.at + notice.refusal.retryAfter * 1_000} />;
  }
  if (notice) return <Line look="critical" icon={<CircleAlert size={16} />}>{reasonFor(i18n, notice.refusal)}</Line>;
  if (tried && tried.blocker !== 'prompt') {
    return <Line key={tried.count} look="warning" icon={<CircleAlert size={16} />}>{t(SEND_DISABLED_TEXTS[tried.blocker])}</Line>;
  }
  if (missing.length > 0 && !tried) {
    const names = missing.map((name) => `“${name}”`).join(', ');
    return <Line look="warning" icon={<CircleAlert size={16} />}>{t('composer.attach_again', { names })}</Line>;
  }
  if (waiting === null) return <NearlyUsedUp />;
  const show = () => {
    const card = document.querySelector<HTMLElement>('[data-card][tabindex="-1"]:has(button:enabled)');
    if (!card) return;
    showInView(card);
    card.focus({ preventScroll: true });
  };
  return (
    <Line key={tried?.count} look={tried ? 'warning' : 'quiet'} icon={<CircleHelp size={16} />}>
      <span className="flex flex-wrap gap-x-3">
        {t(tried ? SEND_DISABLED_TEXTS[tried.blocker] : mine ? 'composer.prompt_waits' : 'composer.prompt_of_others')}
        <button type="button" onClick={show} className="rounded-control font-medium text-accent underline underline-offset-3">
          {t('composer.show_prompt')}
        </button>
        <NotifyMe />
      </span>
    </Line>
  );
}

/** A word before a budget is used up, and as long as it is. */
function NearlyUsedUp() {
  const i18n = useI18n();
  const now = serverNow(useNow(60_000));
  const project = useParlor((state) => state.project ?? state.me?.default_project ?? null);
  const budgets = useBudgets((state) => state.budgets);
  const budget = nearlyUsedUp(budgets, project, now);
  if (!budget) return null;
  return <Line look={budget.percent >= 100 ? 'warning' : 'quiet'} icon={<Gauge size={16} />}>{nearText(i18n, budget, now)}</Line>;
}

/** Counts down until the next message may be sent, then disappears. A screen reader hears it once. */
function Wait({ until }: { until: number }) {
  const { count } = useI18n();
  const now = useNow(250);
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000));
  const first = useRef(seconds);
  useEffect(() => {
    if (now >= until) setState({ notice: null });
  }, [now, until]);
  return (
    <Line look="critical" icon={<CircleAlert size={16} />}>
      <span className="sr-only">{count('reason.rate_limited_for', first.current)}</span>
      <span aria-hidden="true" className="tabular">{count('reason.rate_limited_for', seconds)}</span>
    </Line>
  );
}

const LOOKS = {
  quiet: 'bg-raised',
  warning: 'bg-warning/10 font-medium',
  critical: 'bg-critical/10 font-medium text-critical',
};

function Line({ look, icon, children }: { look: keyof typeof LOOKS; icon: ReactNode; children: ReactNode }) {
  return (
    <p role={look === 'quiet' ? 'status' : 'alert'} className={`flex items-start gap-2 rounded-control px-3 py-2 text-small ${LOOKS[look]}`}>
      <span aria-hidden="true" className="mt-[2px] shrink-0">{icon}</span>
      <span>{children}</span>
    </p>
  );
}
