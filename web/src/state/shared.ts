/** What a link shows, as a conversation for the thread. It is only read. */

import type { SharedView } from '../net/shared';
import type { Message, ToolResult } from '../protocol/generated';
import { type Conversation, EMPTY, type Item } from './model';

const TOKEN = /^\/s\/([\w-]+)\/?$/;

/** The token of the link that the address names. */
export function sharedToken(path: string = window.location.pathname): string | null {
  return TOKEN.exec(path)?.[1] ?? null;
}

export function sharedConversation(view: SharedView): Conversation {
  return { ...EMPTY, lastEventId: view.cursor, items: view.messages.map(itemOf), turn: view.running ? (view.messages.at(-1)?.turn_id ?? null) : null };
}

function itemOf(message: Message): Item {
  if (message.message_type !== 'tool_result') return { kind: 'message', key: message.id, message, streaming: false };
  const result = message.data as ToolResult;
  return {
    kind: 'tool',
    key: result.call_id,
    turn: message.turn_id,
    tool: result.name,
    status: result.is_error ? 'error' : 'completed',
    result: message,
  };
}
