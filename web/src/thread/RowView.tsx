/** One row of the thread, with an error boundary of its own. */

import { Component, lazy, memo, type ReactNode, Suspense } from 'react';

import { ArtifactRow } from '../artifacts/ArtifactRow';
import { ErrorCard } from '../cards/ErrorCard';
import { LoginCard } from '../cards/LoginCard';
import { ThinkingRow, WorkingRow } from '../cards/ThinkingRow';
import { ToolsRow } from '../cards/ToolsRow';
import { AgentMessage } from './AgentMessage';
import { AgentInitiatedRow, EndedRow } from './EndedRow';
import { OutgoingMessage, PersonMessage } from './PersonMessage';
import type { Row } from './rows';

const asking = () => import('../cards/prompt_cards');
const MessageCard = lazy(() => asking().then((cards) => ({ default: cards.MessageCard })));
const PromptCard = lazy(() => asking().then((cards) => ({ default: cards.PromptCard })));

/** Loads the chunk of the prompt cards before one is needed. */
export const fetchCards = () => void asking().catch(() => undefined);

export const RowView = memo(function RowView({ row }: { row: Row }) {
  return (
    <Contained key={row.key} fallback={textOf(row)}>
      <Suspense fallback={<p className="whitespace-pre-wrap">{textOf(row)}</p>}>{drawn(row)}</Suspense>
    </Contained>
  );
});

function drawn(row: Row): ReactNode {
  switch (row.kind) {
    case 'person':
      return <PersonMessage message={row.message} answers={row.answers} versions={row.versions} editable={row.editable} />;
    case 'outgoing':
      return <OutgoingMessage outgoing={row.outgoing} />;
    case 'text':
      return <AgentMessage message={row.message} streaming={row.streaming} thoughts={row.thoughts} last={row.last} read={row.read} asked={row.asked} />;
    case 'thinking':
      return <ThinkingRow texts={row.texts} streaming={row.streaming} />;
    case 'card':
      return <MessageCard message={row.message} answer={row.answer} />;
    case 'prompt':
      return <PromptCard item={row.item} />;
    case 'tools':
      return <ToolsRow tools={row.tools} active={row.active} />;
    case 'error':
      return <ErrorCard text={row.text} code={row.code} retry={row.retry} remedy={row.remedy} budget={row.budget} />;
    case 'login':
      return <LoginCard server={row.server} asked={row.asked} />;
    case 'artifact':
      return <ArtifactRow artifact={row.item.artifact} />;
    case 'agent_initiated':
      return <AgentInitiatedRow />;
    case 'ended':
      return <EndedRow reason={row.reason} retry={row.retry} />;
    case 'working':
      return <WorkingRow queued={row.queued} />;
  }
}

/** The text of a row that cannot be rendered. */
function textOf(row: Row): string {
  if ('message' in row) return row.message.content;
  return row.kind === 'prompt' ? row.item.prompt.question : '';
}

interface ContainedProps {
  fallback: string;
  children: ReactNode;
}

class Contained extends Component<ContainedProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    console.warn('Parlor: something could not be drawn and is shown as text', error);
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return <p className="whitespace-pre-wrap">{this.props.fallback}</p>;
  }
}
