/** The card of a prompt: by its type while it is open, folded once it is closed. */

import type { ReactNode } from 'react';

import { useI18n } from '../i18n';
import type { UserPrompt } from '../protocol/generated';
import type { PromptItem } from '../state/model';
import { useAnswering } from './answering';
import { ApprovalCard } from './ApprovalCard';
import { ClientCallCard } from './ClientCallCard';
import { ClosedCard } from './ClosedCard';
import { ConfirmCard } from './ConfirmCard';
import { FormCard } from './FormCard';
import { InputCard } from './InputCard';
import { MultiQuestionCard } from './MultiQuestionCard';
import { PlanCard } from './PlanCard';
import { SelectCard } from './SelectCard';
import { WizardCard } from './WizardCard';

export function PromptCard({ item }: { item: PromptItem }) {
  const { t } = useI18n();
  const { prompt, app, closed, message } = item;
  if (closed) return <ClosedCard prompt={prompt} closed={closed} />;
  const origin = message?.metadata['origin'];
  const server = typeof origin === 'string' && origin.startsWith('mcp:') ? origin.slice('mcp:'.length) : null;
  return (
    <div className="space-y-2">
      {server !== null && <p className="text-small text-muted">{t('prompt.from_server', { server })}</p>}
      {app !== null && <p className="text-small text-muted">{t('prompt.from_app', { server: app })}</p>}
      {cardFor(prompt)}
    </div>
  );
}

function cardFor(prompt: UserPrompt): ReactNode {
  switch (prompt.promptType) {
    case 'confirm':
      if (prompt.toolCall) return <ApprovalCard prompt={prompt} call={prompt.toolCall} />;
      return <ConfirmCard prompt={prompt} />;
    case 'client_call':
      if (prompt.toolCall) return <ClientCallCard prompt={prompt} call={prompt.toolCall} />;
      return <UnknownPrompt prompt={prompt} />;
    case 'select':
      return <SelectCard prompt={prompt} />;
    case 'multi_question':
      return <SeveralQuestions prompt={prompt} />;
    case 'plan':
      return <PlanDecision prompt={prompt} />;
    case 'wizard':
      return <WizardCard prompt={prompt} />;
    case 'form':
      return <FormCard prompt={prompt} />;
    case 'input':
      return <InputCard prompt={prompt} />;
    default:
      return <UnknownPrompt prompt={prompt} />;
  }
}

function SeveralQuestions({ prompt }: { prompt: UserPrompt }) {
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  return (
    <MultiQuestionCard
      id={prompt.messageId}
      asked={prompt}
      questions={prompt.questions ?? []}
      busy={busy}
      trouble={trouble}
      send={(answers) => void give({ response: answers })}
      dismiss={() => void dismiss()}
    />
  );
}

function PlanDecision({ prompt }: { prompt: UserPrompt }) {
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  return (
    <PlanCard
      id={prompt.messageId}
      asked={prompt}
      plan={prompt.plan ?? { goal: prompt.question, steps: [] }}
      busy={busy}
      trouble={trouble}
      execute={() => void give({ response: 'execute' })}
      refine={(reason) => void give({ response: 'refine', reason })}
      dismiss={() => void dismiss()}
    />
  );
}

/** T-7: a prompt of an unknown type can still be answered with text. */
function UnknownPrompt({ prompt }: { prompt: UserPrompt }) {
  console.warn(`Parlor: a prompt of a kind that this page does not know: ${prompt.promptType}`);
  return <InputCard prompt={prompt} />;
}
