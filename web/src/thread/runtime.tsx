/**
 * The rows of the thread as a runtime of assistant-ui. This file and `parts.tsx`
 * are the only ones that import it.
 */

import { AssistantRuntimeProvider, type ThreadMessageLike, useExternalStoreRuntime } from '@assistant-ui/react';
import type { ReactNode } from 'react';

import { stop } from '../state/conversation';
import type { Row } from './rows';

/** The name of the part that carries a row. */
export const ROW = 'row';

interface Props {
  rows: readonly Row[];
  running: boolean;
  children: ReactNode;
}

export function ThreadRuntime({ rows, running, children }: Props) {
  const runtime = useExternalStoreRuntime<Row>({
    messages: rows,
    isRunning: running && rows.at(-1)?.kind !== 'person',
    convertMessage,
    // The composer is our own: a draft must survive a refusal.
    onNew: () => Promise.resolve(),
    onCancel: stop,
  });
  return <AssistantRuntimeProvider runtime={runtime}>{children}</AssistantRuntimeProvider>;
}

function convertMessage(row: Row): ThreadMessageLike {
  const person = row.kind === 'person' || row.kind === 'outgoing';
  return {
    id: row.key,
    role: person ? 'user' : 'assistant',
    content: [{ type: 'data', name: ROW, data: row }],
    ...(person ? {} : { status: { type: 'complete', reason: 'stop' } }),
  };
}
