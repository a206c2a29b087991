/** Messages and parts by assistant-ui's primitives; the content of a part is ours. */

import { MessagePrimitive, ThreadPrimitive } from '@assistant-ui/react';
import type { ComponentProps } from 'react';

import type { Row } from './rows';
import { RowView } from './RowView';
import { ROW } from './runtime';

export function ThreadRows() {
  return (
    <ThreadPrimitive.Root className="flex flex-col gap-6">
      <ThreadPrimitive.Messages>{renderMessage}</ThreadPrimitive.Messages>
    </ThreadPrimitive.Root>
  );
}

const renderMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts>{renderPart}</MessagePrimitive.Parts>
  </MessagePrimitive.Root>
);

const renderPart: NonNullable<ComponentProps<typeof MessagePrimitive.Parts>['children']> = ({ part }) =>
  part.type === 'data' && part.name === ROW ? <RowView row={part.data as Row} /> : null;
