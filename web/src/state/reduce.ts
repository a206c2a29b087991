/**
 * Events in, conversation out. Pure: the same events give the same conversation,
 * in whatever pieces they came and however often some of them came again.
 *
 * 1. What lies before the place that was reached is known already and is dropped.
 *    A snapshot is the exception: it says that less was kept than was shown.
 * 2. Text streams into a message that a `message` with the same id replaces.
 * 3. A prompt and the message that stands for it in the history are one item, as
 *    are a tool at work and its result, an `error` and the message about it.
 */

import type { LogEvent } from '../net/decode';
import type { EventBody, Message, MessageId, Plan, ToolCall, ToolResult, UserPrompt } from '../protocol/generated';
import { type Conversation, isAfter, type Item, parseEventId } from './model';

export function reduceAll(state: Conversation, events: readonly LogEvent[]): Conversation {
  return events.reduce(reduce, state);
}

export function reduce(state: Conversation, event: LogEvent): Conversation {
  if (isKnown(state, event)) return state;
  // Whatever comes next says that the turn no longer waits.
  const next = apply(state.queued ? { ...state, queued: false } : state, event.body);
  return event.id === null ? next : { ...next, place: event.id };
}

function isKnown(state: Conversation, event: LogEvent): boolean {
  const place = parseEventId(event.id);
  const reached = parseEventId(state.place);
  if (!place || !reached || isAfter(place, reached)) return false;
  return !(event.body.event === 'snapshot' && place.seq === reached.seq);
}

function apply(state: Conversation, body: EventBody): Conversation {
  switch (body.event) {
    case 'start':
      return withStart(state, body.data);
    case 'queued':
      return { ...state, queued: state.turn === body.data.turn_id };
    case 'chunk':
      return streamed(state, body.data.message_id, false, (text) => text + body.data.text);
    case 'thinking':
      return streamed(state, body.data.message_id, true, (text) => text + body.data.text);
    case 'snapshot':
      return streamed(state, body.data.message_id, null, () => body.data.text);
    case 'message':
      return withMessage(state, body.data);
    case 'tool_use':
      return withTool(state, body.data);
    case 'artifact':
      return withArtifact(state, body.data);
    case 'userPrompt':
      return withPrompt(state, body.data);
    case 'userPromptUpdated': {
      const { messageId, expires_at } = body.data;
      return changePrompt(state, messageId, (item) => {
        const { expires_at: _before, ...prompt } = item.prompt;
        return { ...item, prompt: expires_at === null ? prompt : { ...prompt, expires_at } };
      });
    }
    case 'userPromptClosed':
      return changePrompt(state, body.data.messageId, (item) => ({ ...item, closed: body.data }));
    case 'error':
      return withError(state, body.data);
    case 'done':
      return withDone(state, body.data);
  }
}

function withStart(state: Conversation, start: Extract<EventBody, { event: 'start' }>['data']): Conversation {
  const { conversation_id: id, turn_id: turn, message_id: asked = null } = start;
  const next = { ...state, id, turn, asked };
  return asked === null ? append(next, { kind: 'unasked', key: `unasked-${turn}`, turn }) : next;
}

/** Adds to the text that streams under an id, or begins it. */
function streamed(
  state: Conversation,
  id: MessageId,
  thinking: boolean | null,
  change: (text: string) => string,
): Conversation {
  const at = state.items.findLastIndex((item) => item.kind === 'message' && item.key === id);
  const item = state.items[at];
  if (item?.kind === 'message') {
    // What is finished is not written on.
    if (!item.streaming) return state;
    const message = { ...item.message, content: change(item.message.content) };
    return replace(state, at, { ...item, message });
  }
  const content = change('');
  if (content === '') return state;
  const message: Message = {
    id,
    conversation_id: state.id ?? '',
    turn_id: state.turn ?? '',
    role: 'assistant',
    message_type: thinking ? 'thinking' : 'info',
    content,
    metadata: {},
    created_at: 0,
  };
  return append(state, { kind: 'message', key: id, message, streaming: true });
}

function withMessage(state: Conversation, message: Message): Conversation {
  const known = state.items.findIndex((item) => isAbout(item, message));
  const item = state.items[known];
  if (item) return replace(state, known, updated(item, message));
  if (message.message_type === 'tool_result') return append(state, toolOf(message));
  const prompt = state.items.findLastIndex((one) => one.kind === 'prompt' && awaits(one, message));
  const waiting = state.items[prompt];
  if (waiting?.kind === 'prompt') return replace(state, prompt, { ...waiting, message });
  const error = state.items.findLastIndex((one) => one.kind === 'error' && saysTheSame(one, message));
  const added: Item = { kind: 'message', key: message.id, message, streaming: false };
  return error >= 0 ? replace(state, error, added) : append(state, added);
}

/** Whether an item is what a message speaks of anew. */
function isAbout(item: Item, message: Message): boolean {
  switch (item.kind) {
    case 'message':
      return item.key === message.id;
    case 'prompt':
      return item.message?.id === message.id;
    case 'tool':
      return item.result?.id === message.id || item.key === callOf(message);
    default:
      return false;
  }
}

function updated(item: Item, message: Message): Item {
  switch (item.kind) {
    case 'tool': {
      const failed = (message.data as ToolResult | undefined)?.is_error === true;
      const ended = item.status !== 'waiting' && item.status !== 'running';
      const status = ended ? item.status : failed ? 'error' : 'completed';
      return { ...item, status, result: message };
    }
    case 'prompt':
      return { ...item, message };
    default:
      return { kind: 'message', key: message.id, message, streaming: false };
  }
}

function toolOf(message: Message): Item {
  const result = message.data as ToolResult | undefined;
  return {
    kind: 'tool',
    key: result?.call_id ?? message.id,
    turn: message.turn_id,
    tool: result?.name ?? '',
    status: result?.is_error === true ? 'error' : 'completed',
    result: message,
  };
}

function callOf(message: Message): string | null {
  if (message.message_type !== 'tool_result') return null;
  return (message.data as ToolResult | undefined)?.call_id ?? null;
}

function withTool(state: Conversation, use: Extract<EventBody, { event: 'tool_use' }>['data']): Conversation {
  const at = state.items.findLastIndex((item) => item.kind === 'tool' && item.key === use.call_id);
  const item = state.items[at];
  if (item?.kind === 'tool') {
    const next = { ...item, tool: use.tool, status: use.status };
    // What waited for a yes happens after it, not before.
    const moves = item.status === 'waiting' && use.status !== 'waiting';
    return moves ? append({ ...state, items: state.items.toSpliced(at, 1) }, next) : replace(state, at, next);
  }
  const { call_id: key, tool, status } = use;
  return append(state, { kind: 'tool', key, turn: state.turn, tool, status, result: null });
}

function withArtifact(state: Conversation, artifact: { kind: string; id: string }): Conversation {
  const count = (state.shown?.count ?? 0) + 1;
  const shown = append(state, { kind: 'artifact', key: `artifact-${count}`, artifact });
  return { ...shown, shown: { artifact, count } };
}

function withPrompt(state: Conversation, prompt: UserPrompt): Conversation {
  const known = state.items.findIndex((item) => item.kind === 'prompt' && item.key === prompt.messageId);
  const item = state.items[known];
  if (item?.kind === 'prompt') return replace(state, known, { ...item, prompt });
  const fresh = { kind: 'prompt', key: prompt.messageId, prompt, closed: null } as const;
  const said = state.items.findLastIndex(
    (one) => one.kind === 'message' && awaits({ ...fresh, message: null }, one.message),
  );
  const message = state.items[said];
  if (message?.kind === 'message') {
    return replace(state, said, { ...fresh, message: message.message });
  }
  return append(state, { ...fresh, message: null });
}

function changePrompt(
  state: Conversation,
  id: string,
  change: (item: Extract<Item, { kind: 'prompt' }>) => Item,
): Conversation {
  const at = state.items.findIndex((item) => item.kind === 'prompt' && item.key === id);
  const item = state.items[at];
  return item?.kind === 'prompt' ? replace(state, at, change(item)) : state;
}

/** Whether a message is what stands for a prompt in the history. */
function awaits(item: Extract<Item, { kind: 'prompt' }>, message: Message): boolean {
  const { prompt } = item;
  const named = message.metadata['prompt_id'];
  if (named !== undefined) return named === prompt.messageId;
  if (item.message !== null || message.role === 'user') return false;
  switch (message.message_type) {
    case 'tool_call':
      return prompt.toolCall !== undefined && prompt.toolCall.name === (message.data as ToolCall | undefined)?.name;
    case 'plan':
      return prompt.promptType === 'plan' && prompt.plan?.goal === (message.data as Plan | undefined)?.goal;
    case 'question':
      return prompt.toolCall === undefined && prompt.question === message.content;
    case 'multi_question':
      return (
        prompt.promptType === 'multi_question' &&
        prompt.questions?.[0]?.question === message.questions?.[0]?.question
      );
    default:
      return false;
  }
}

function withError(state: Conversation, error: Extract<EventBody, { event: 'error' }>['data']): Conversation {
  const said = state.items.some(
    (item) =>
      item.kind === 'message' && item.message.turn_id === state.turn && isErrorSaying(item.message, error.message),
  );
  if (said) return state;
  return append(state, {
    kind: 'error',
    key: `error-${state.items.length}`,
    turn: state.turn,
    text: error.message,
    code: error.code ?? 'internal',
    recoverable: error.recoverable ?? false,
  });
}

function saysTheSame(item: Extract<Item, { kind: 'error' }>, message: Message): boolean {
  return item.turn === message.turn_id && isErrorSaying(message, item.text);
}

function isErrorSaying(message: Message, text: string): boolean {
  return message.message_type === 'error' && message.content === text;
}

function withDone(state: Conversation, done: Extract<EventBody, { event: 'done' }>['data']): Conversation {
  // Whatever did not become a message is over all the same.
  const items = state.items.map((item) => settled(item));
  const next = { ...state, items, turn: state.turn === done.turn_id ? null : state.turn };
  if (done.reason !== 'stopped' && done.reason !== 'interrupted') return next;
  return append(next, {
    kind: 'ended',
    key: `ended-${done.turn_id}`,
    turn: done.turn_id,
    reason: done.reason,
  });
}

function settled(item: Item): Item {
  return item.kind === 'message' && item.streaming ? { ...item, streaming: false } : item;
}

function append(state: Conversation, item: Item): Conversation {
  return { ...state, items: [...state.items, item] };
}

function replace(state: Conversation, at: number, item: Item): Conversation {
  return { ...state, items: state.items.with(at, item) };
}
