/** A closed prompt in two lines: the question, and who answered what and when. */

import { Check, Clock, X } from 'lucide-react';

import { useI18n } from '../i18n';
import { fieldLabel } from '../i18n/fields';
import type { PromptClosed, UserPrompt } from '../protocol/generated';
import { classes } from '../ui/classes';
import { Disclosure } from '../ui/Disclosure';
import { VisibleText } from '../ui/VisibleText';
import { Arguments } from './Arguments';
import { AskAgain } from './AskAgain';
import { InfluenceBox } from './Influence';
import { outcomeBy, outcomeText, promptTitle } from './outcome';
import { PlanBody } from './PlanBody';
import { namesIn } from './preview/names';
import { PreviewOf } from './preview/Preview';
import { readableValue, recordRows } from './preview/record';

const LOOKS = {
  answered: { icon: Check, ink: 'text-success', rule: 'shadow-[inset_3px_0_0_var(--success)]' },
  refused: { icon: X, ink: 'text-muted', rule: 'shadow-[inset_3px_0_0_var(--line)]' },
  expired: { icon: Clock, ink: 'text-warning', rule: 'shadow-[inset_3px_0_0_var(--warning)]' },
  cancelled: { icon: X, ink: 'text-muted', rule: 'shadow-[inset_3px_0_0_var(--line)]' },
} as const;

export function ClosedCard({ prompt, closed }: { prompt: UserPrompt; closed: PromptClosed }) {
  const i18n = useI18n();
  const look = LOOKS[closed.outcome] ?? LOOKS.cancelled;
  const Icon = look.icon;
  return (
    <section data-card="closed" className={classes('rounded-card border border-line bg-surface py-2.5 ps-5 pe-4', look.rule)}>
      <p className="text-muted">
        <VisibleText text={promptTitle(i18n, prompt)} />
      </p>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Icon size={15} aria-hidden="true" className={classes('shrink-0 self-center', look.ink)} />
        <span className="font-medium">{outcomeText(i18n, prompt, closed)}</span>
        <span className="text-small text-muted">{outcomeBy(i18n, closed)}</span>
      </p>
      {closed.reason && (
        <p className="text-small whitespace-pre-wrap text-muted">
          {i18n.t('outcome.reason')} <VisibleText text={closed.reason} />
        </p>
      )}
      {closed.toolCall && <Changes proposed={prompt.toolCall?.input} ran={closed.toolCall.input} />}
      {closed.outcome === 'expired' && prompt.toolCall && <AskAgain prompt={prompt} call={prompt.toolCall} />}
      <Details prompt={prompt} closed={closed} />
    </section>
  );
}

/** The arguments that were edited before approval: as proposed, and as run. */
function Changes({ proposed, ran }: { proposed: unknown; ran: unknown }) {
  const i18n = useI18n();
  const rows = recordRows(proposed, ran).filter((row) => row.changed);
  const said = (value: unknown) => (value === undefined ? i18n.t('outcome.left_out') : readableValue(value));
  return (
    <dl className="my-1 space-y-1 text-small">
      {rows.map((row) => (
        <div key={row.name}>
          <dt className="font-medium">{fieldLabel(i18n, row.name)}</dt>
          <dd className="whitespace-pre-wrap text-muted">
            {i18n.t('outcome.proposed')} <del className="decoration-critical/60"><VisibleText text={said(row.before)} /></del>
          </dd>
          <dd className="whitespace-pre-wrap">
            {i18n.t('outcome.ran')} <ins className="font-medium no-underline"><VisibleText text={said(row.after)} /></ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Plan, preview and arguments; those of an edited call as it ran. */
function Details({ prompt, closed }: { prompt: UserPrompt; closed: PromptClosed }) {
  const { t } = useI18n();
  const { plan, schema, influence } = prompt;
  const toolCall = closed.toolCall ?? prompt.toolCall;
  const preview = closed.toolCall ? closed.preview : prompt.preview;
  if (!plan && !preview && !toolCall) return null;
  return (
    <Disclosure summary={t('details')}>
      <div className="mt-2 space-y-3 pb-1">
        {plan && <PlanBody plan={plan} />}
        {influence && prompt.toolCall && <InfluenceBox influence={influence} call={prompt.toolCall} />}
        {preview && <PreviewOf preview={preview} />}
        {toolCall && (
          <Arguments call={toolCall} schema={schema} input={toolCall.input} names={namesIn(preview, toolCall.input)} problems={{}} disabled />
        )}
      </div>
    </Disclosure>
  );
}
