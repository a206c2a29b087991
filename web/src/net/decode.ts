/**
 * From JSON off the wire to typed events. An event that lacks a required field is
 * dropped with a warning in the console; it never breaks the page (T-7).
 */

import type { EventBody, Message, MessageType } from '../protocol/generated';
import type { SseEvent } from './sse';

/** An event of the log with its event id. */
export interface LogEvent {
  id: string | null;
  body: EventBody;
}

type Fields = Record<string, unknown>;

/** The required fields of each event, all of them strings. */
const REQUIRED: Record<string, readonly string[]> = {
  start: ['conversation_id', 'turn_id'],
  branch_chosen: ['conversation_id', 'turn_id'],
  queued: ['turn_id'],
  chunk: ['text', 'message_id'],
  snapshot: ['text', 'message_id'],
  thinking: ['text', 'message_id'],
  tool_use: ['tool', 'call_id', 'status'],
  artifact: ['kind', 'id'],
  recipe_artifact: ['recipe_id'],
  message: ['id', 'role'],
  userPrompt: ['promptType', 'messageId', 'question'],
  userPromptUpdated: ['messageId'],
  userPromptClosed: ['messageId', 'outcome'],
  error: ['message'],
  done: ['turn_id', 'reason'],
};

export function decodeEvent(event: SseEvent): LogEvent | null {
  const required = REQUIRED[event.name];
  if (!required) {
    console.warn(`Parlor: an event that this page does not know: ${event.name}`);
    return null;
  }
  const data = parsed(event.data);
  const missing = required.filter((field) => typeof data?.[field] !== 'string');
  if (!data || missing.length > 0) {
    console.warn(`Parlor: a ${event.name} event without ${missing.join(', ') || 'data'}`);
    return null;
  }
  return { id: event.id, body: bodyOf(event.name, data) };
}

function bodyOf(name: string, data: Fields): EventBody {
  if (name === 'recipe_artifact') {
    return { event: 'artifact', data: { kind: 'recipe', id: String(data['recipe_id']) } };
  }
  if (name === 'message') return { event: 'message', data: decodeMessage(data) };
  return { event: name, data } as EventBody;
}

/** T-1: a message without a type is text; type names come in snake case or camel case. */
export function decodeMessage(data: Fields): Message {
  const metadata = data['metadata'];
  return {
    ...(data as unknown as Message),
    message_type: typeName(data['message_type']),
    content: typeof data['content'] === 'string' ? data['content'] : '',
    metadata: isFields(metadata) ? metadata : {},
    created_at: typeof data['created_at'] === 'number' ? data['created_at'] : 0,
  };
}

function typeName(name: unknown): MessageType {
  if (typeof name !== 'string' || name === '') return 'text';
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
