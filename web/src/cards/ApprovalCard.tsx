/** An approval: what the call does, its preview and arguments, and the time left. */

import { ChevronDown, Ellipsis, MessageSquareX, ShieldQuestion, TriangleAlert, Unlock } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';

import { useI18n } from '../i18n';
import { hasToolTexts, isDestructive, readableName, toolTexts } from '../i18n/tools';
import type { OpenPrompt } from '../net/api';
import type { ToolCall, UserPrompt } from '../protocol/generated';
import { asSchema, kindOf, problemsIn } from '../schema/schema';
import { isAnything, isText, useAnswerDraft } from '../state/answer_drafts';
import { mayAnswer } from '../state/approvers';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { Menu } from '../ui/Menu';
import { VisibleText } from '../ui/VisibleText';
import { troubleWith, useAnswering, useArrivalFocus } from './answering';
import { Arguments } from './Arguments';
import { Actions, Trouble } from './Card';
import { GoOnWithoutRead, InfluenceBox } from './Influence';
import { ApproversNote } from './ApproversNote';
import { objectOf } from './object';
import { type LivePreview, useLivePreview } from './preview/live_preview';
import { namesIn } from './preview/names';
import { PreviewOf } from './preview/Preview';
import { PromptFrame } from './PromptFrame';

export function ApprovalCard({ prompt, call }: { prompt: UserPrompt; call: ToolCall }) {
  const i18n = useI18n();
  const { t } = i18n;
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give } = useAnswering(prompt.messageId, prompt.schema);
  const [input, setInput] = useAnswerDraft(prompt.messageId, 'input', () => call.input, isAnything);
  const [reason, setReason] = useAnswerDraft(prompt.messageId, 'reason', () => '', isText);
  const [refusing, setRefusing] = useState(reason !== '');
  const { influence, approvers } = prompt;
  const mine = useParlor((state) => mayAnswer(state.me, approvers));
  const unseen = (prompt as OpenPrompt).unseen === true;
  const notProven = prompt.caveats?.includes('not_proven') ?? false;
  const editsAreRefusals = prompt.caveats?.includes('edits_are_refusals') ?? false;
  const destructive = prompt.severity === 'critical' || isDestructive(call.name);
  const tool = toolTexts(i18n, call.name, objectOf(call, prompt.preview));
  const schema = asSchema(prompt.schema);
  const changed = JSON.stringify(input) !== JSON.stringify(call.input);
  const problems = changed && kindOf(schema) === 'object' ? problemsIn(schema, input) : {};
  const fits = Object.keys(problems).length === 0;
  const followed = useLivePreview(prompt, changed && fits ? input : null);
  const [editing, setEditing] = useState<string | null>(null);
  // While a value is edited in the preview, the last one stays.
  const shown = followed.preview ?? (editing === null ? undefined : prompt.preview);
  const stale = followed.stale || followed.preview !== shown || (changed && !fits);
  const names = namesIn(prompt.preview, call.input);
  const back = () => {
    setRefusing(false);
    card.current?.focus({ preventScroll: true });
  };
  const allow = (remember: boolean) =>
    void give({
      response: 'yes',
      ...(changed ? { input } : {}),
      ...(remember ? { remember: 'conversation' as const } : {}),
    });
  const always = {
    key: 'always',
    icon: <Unlock size={16} aria-hidden="true" />,
    label: <Scoped title={t('approval.always')} text={t('approval.always_scope', { name: readableName(call.name) })} />,
    run: () => allow(true),
  };
  return (
    <PromptFrame
      ref={card}
      asked={prompt}
      fixed={unseen}
      tone={destructive ? 'critical' : prompt.severity === 'major' ? 'warning' : 'question'}
      icon={destructive ? <TriangleAlert size={18} /> : <ShieldQuestion size={18} />}
      title={<VisibleText text={t('approval.wants', { what: tool.wants })} />}
      lead={
        !isSaid(prompt.question, call.name) && (
          <p>
            <VisibleText text={prompt.question} />
          </p>
        )
      }
      busy={busy}
    >
      {influence && (
        <InfluenceBox influence={influence} call={call}>
          {!unseen && <GoOnWithoutRead conversation={prompt.conversation_id} busy={busy} />}
        </InfluenceBox>
      )}
      {shown && (
        <div aria-busy={stale}>
          <PreviewOf
            preview={shown}
            stale={stale}
            {...(notProven || !mine ? {} : { edit: { call, schema, input, names, problems, disabled: busy, editing, setEditing, change: setInput } })}
          />
        </div>
      )}
      <PreviewNote prompt={prompt} followed={followed} stale={stale} />
      {notProven && <p className="text-small font-medium text-warning">{t('approval.not_proven')}</p>}
      <Arguments
        call={call}
        schema={prompt.schema}
        input={input}
        names={names}
        problems={problems}
        disabled={busy || !mine}
        // Without a preview they are all that there is to judge by.
        startsOpen={prompt.preview === undefined && influence === undefined}
        {...(notProven || !mine ? {} : { change: setInput })}
      />
      {changed && <p className="text-small font-medium text-warning">{t(editsAreRefusals ? 'approval.changed_by_request' : 'approval.changed')}</p>}
      {approvers && <ApproversNote approvers={approvers} mine={mine} />}
      <Trouble text={trouble} />
      {!mine ? null : refusing ? (
        <Refusing busy={busy} reason={reason} change={setReason} cancel={back} refuse={() => void give({ response: 'no', ...(reason.trim() ? { reason: reason.trim() } : {}) })} />
      ) : (
        <Actions>
          <Button look={destructive ? 'critical' : 'primary'} disabled={busy || !fits} onClick={() => allow(false)}>
            {destructive ? tool.act : t('approval.allow_once')}
          </Button>
          <Button disabled={busy} onClick={() => void give({ response: 'no' })}>
            {t('approval.deny')}
          </Button>
          <Menu
            label={t('approval.more')}
            align="start"
            trigger={(menu) => (
              <Button look="quiet" className="max-sm:px-2" disabled={busy} {...menu}>
                <span className="max-sm:sr-only">{t('approval.more')}</span>
                <ChevronDown size={15} aria-hidden="true" className="max-sm:hidden" />
                <Ellipsis size={18} aria-hidden="true" className="sm:hidden" />
              </Button>
            )}
            items={[
              // A yes to a call that others may be behind is for that call alone; somebody else answers each time.
              ...(influence || approvers?.other ? [] : [always]),
              {
                key: 'reason',
                icon: <MessageSquareX size={16} aria-hidden="true" />,
                label: t('approval.deny_with_reason'),
                run: () => setRefusing(true),
              },
            ]}
          />
        </Actions>
      )}
    </PromptFrame>
  );
}

/** A note on a preview that is not of the current arguments. */
function PreviewNote({ prompt, followed, stale }: { prompt: UserPrompt; followed: LivePreview; stale: boolean }) {
  const i18n = useI18n();
  const { preview, refusal } = followed;
  const unknown = prompt.preview !== undefined && preview === undefined;
  const text = refusal?.code === 'answer_invalid' ? troubleWith(i18n, prompt.schema, refusal) : unknown ? i18n.t('preview.unknown') : null;
  return (
    <p role="status" className={text || (stale && preview) ? 'text-small text-muted' : 'sr-only'}>
      {text ?? (stale && preview ? i18n.t('preview.updating') : '')}
    </p>
  );
}

/** "Allow “Delete a recipe”?" is for clients without texts for the tool; the title of the card replaces it. */
function isSaid(question: string, tool: string): boolean {
  return hasToolTexts(tool) && /^Allow .+\?$/.test(question);
}

function Scoped({ title, text }: { title: string; text: string }) {
  return (
    <>
      <span className="block font-medium">{title}</span>
      <span className="block text-small text-muted">{text}</span>
    </>
  );
}

interface RefusingProps {
  busy: boolean;
  reason: string;
  change(reason: string): void;
  refuse(): void;
  cancel(): void;
}

function Refusing({ busy, reason, change, refuse, cancel }: RefusingProps) {
  const { t } = useI18n();
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    refuse();
  };
  return (
    <form onSubmit={submit} onKeyDown={onEscape(cancel)} className="space-y-2">
      <label htmlFor={id} className="block text-small font-medium">
        {t('approval.reason')}
      </label>
      <input id={id} dir="auto" className="field" value={reason} onChange={(event) => change(event.target.value)} disabled={busy} autoFocus autoComplete="off" />
      <Actions>
        <Button type="submit" disabled={busy}>
          {t('approval.deny')}
        </Button>
        <Button look="quiet" disabled={busy} onClick={cancel}>
          {t('cancel')}
        </Button>
      </Actions>
    </form>
  );
}
