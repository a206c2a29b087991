/**
 * Typed messages without a prompt: from old conversations, or from an agent that
 * only writes text. They are answered with a message.
 */

import { CircleHelp, Wrench } from 'lucide-react';

import { useI18n } from '../i18n';
import { toolTexts } from '../i18n/tools';
import type { Message, Mode, Plan, Question, SubQuestion, ToolCall } from '../protocol/generated';
import { forgetAnswerDraft } from '../state/answer_drafts';
import { sendText } from '../state/conversation';
import { useParlor } from '../state/store';
import { VisibleText } from '../ui/VisibleText';
import { Arguments } from './Arguments';
import { Card } from './Card';
import { MultiQuestionCard } from './MultiQuestionCard';
import { Options } from './Options';
import { PlanBody } from './PlanBody';
import { PlanCard } from './PlanCard';
import { severityLabel, toneOf } from './severity';

interface Props {
  message: Message;
  /** The person's next message, which counts as the answer. */
  answer: string | null;
}

export function MessageCard({ message, answer }: Props) {
  switch (message.message_type) {
    case 'plan':
      return <PlanMessage message={message} answer={answer} />;
    case 'multi_question':
      return <SeveralQuestionsMessage message={message} answer={answer} />;
    case 'tool_call':
      return <ToolCallMessage message={message} />;
    default:
      return <QuestionMessage message={message} answer={answer} />;
  }
}

/** Whether a message can be sent now. */
function useQuiet(): boolean {
  return useParlor((state) => !state.readOnly && state.conversation.turn === null && state.outgoing === null);
}

/** Whether a question is not for whoever reads it: it was answered, or the conversation is only read. */
function useOver(answer: string | null): boolean {
  return useParlor((state) => state.readOnly) || answer !== null;
}

function QuestionMessage({ message, answer }: Props) {
  const i18n = useI18n();
  const quiet = useQuiet();
  const data = message.data as Partial<Question> | undefined;
  const options = data?.options ?? message.options ?? [];
  const over = useOver(answer);
  const chosen = options.find((option) => option.label === answer || option.value === answer);
  return (
    <Card
      tone={over ? 'quiet' : toneOf(data?.severity)}
      icon={<CircleHelp size={18} />}
      title={data?.question ?? message.content}
      badge={over ? null : severityLabel(i18n, data?.severity)}
    >
      {data?.context && <p className="text-muted">{data.context}</p>}
      <Options
        options={options}
        suggested={over ? undefined : data?.default}
        chosen={chosen?.value ?? null}
        disabled={over || !quiet}
        choose={(option) => void sendText(option.label)}
      />
      {answer !== null && <p className="text-small font-medium text-success">{i18n.t('outcome.answered')}</p>}
    </Card>
  );
}

function SeveralQuestionsMessage({ message, answer }: Props) {
  const { t } = useI18n();
  const quiet = useQuiet();
  const over = useOver(answer);
  const questions = message.questions ?? [];
  if (questions.length === 0) return <QuestionMessage message={message} answer={answer} />;
  if (over) {
    return (
      <Card tone="quiet" icon={<CircleHelp size={18} />} title={message.content}>
        <ul className="list-disc ps-5 text-muted">
          {questions.map((question) => <li key={question.id}>{question.question}</li>)}
        </ul>
        {answer !== null && <p className="text-small font-medium text-success">{t('outcome.answered')}</p>}
      </Card>
    );
  }
  return (
    <MultiQuestionCard
      id={message.id}
      asked={{ question: questions.length > 1 ? t('question.several_title') : message.content }}
      questions={questions}
      busy={!quiet}
      trouble={null}
      send={(answers) => answerWith(message, spoken(questions, answers))}
    />
  );
}

function answerWith(message: Message, text: string, mode?: Mode): void {
  forgetAnswerDraft(message.id);
  void sendText(text, mode);
}

/** The answers as a message: header and labels of each question. */
function spoken(questions: readonly SubQuestion[], answers: Record<string, string | string[]>): string {
  return questions
    .map((question) => {
      const given = [answers[question.id] ?? []].flat();
      const labels = given.map((value) => question.options.find((option) => option.value === value)?.label ?? value);
      const text = labels.join(', ');
      return questions.length > 1 ? `${question.header ?? question.question}: ${text}` : text;
    })
    .join('\n');
}

function PlanMessage({ message, answer }: Props) {
  const { t } = useI18n();
  const quiet = useQuiet();
  const data = message.data as Partial<Plan> | undefined;
  const over = useOver(answer);
  const plan: Plan = { ...data, goal: data?.goal ?? message.content, steps: data?.steps ?? [] };
  if (over) {
    return (
      <Card tone="quiet" icon={<CircleHelp size={18} />} title={plan.goal} badge={t('plan.label')}>
        <PlanBody plan={plan} />
      </Card>
    );
  }
  return (
    <PlanCard
      id={message.id}
      asked={{ question: plan.goal }}
      plan={plan}
      busy={!quiet}
      trouble={null}
      execute={() => answerWith(message, t('plan.execute_said'), 'act')}
      refine={(what) => answerWith(message, what, 'plan')}
    />
  );
}

function ToolCallMessage({ message }: { message: Message }) {
  const i18n = useI18n();
  const call = message.data as ToolCall | undefined;
  return (
    <Card tone="quiet" icon={<Wrench size={18} />} title={i18n.t('approval.wanted', { what: toolTexts(i18n, call?.name ?? '').wants })}>
      {message.content && (
        <p>
          <VisibleText text={message.content} />
        </p>
      )}
      {call && <Arguments call={call} schema={undefined} input={call.input} problems={{}} disabled />}
    </Card>
  );
}
