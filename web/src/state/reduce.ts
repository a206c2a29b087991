/**
 * Events in, conversation out. Pure: the same events give the same conversation,
 * however they were batched and however often some of them were repeated.
 *
 * 1. Events up to the last event id are dropped as duplicates. A snapshot is the
 *    exception: it says that less text was stored than was shown.
 * 2. Text is appended to a message until a `message` with the same id replaces it.
 * 3. A turn follows the turn before it, or the one that its `start` names; the path that is shown
 *    (`branches.ts`) ends with the last turn that began, or that a person chose since.
 * 4. A prompt and the message about it (`metadata.prompt_id`) are one item, and so
 *    are a tool run and its result, an `error` and the message about it.
 */

import type { LogEvent } from '../net/decode';
import type { EventBody, Message, MessageId, ToolResult, UserPrompt } from '../protocol/generated';
import { type Conversation, isAfter, type Item, parseEventId } from './model';

export function reduceAll(state: Conversation, events: readonly LogEvent[]): Conversation {
  return events.reduce(reduce, state);
}

export function reduce(state: Conversation, event: LogEvent): Conversation {
  if (isKnown(state, event)) return state;
  // Any further event means that the turn is no longer queued.
  const next = apply(state.queued ? { ...state, queued: false } : state, event.body);
  return event.id === null ? next : { ...next, lastEventId: event.id };
}

function isKnown(state: Conversation, event: LogEvent): boolean {
  const place = parseEventId(event.id);
  const reached = parseEventId(state.lastEventId);
  if (!place || !reached || isAfter(place, reached)) return false;
  return !(event.body.event === 'snapshot' && place.seq === reached.seq);
}

function apply(state: Conversation, body: EventBody): Conversation {
  switch (body.event) {
    case 'start':
      return withStart(state, body.data);
    case 'branch_chosen':
      return { ...state, leaf: body.data.turn_id };
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
  const { conversation_id: id, turn_id: turn, message_id: asked = null, app = null, branch } = start;
  const parent = branch ? (branch.parent ?? null) : (state.turns.at(-1)?.id ?? null);
  const turns = [...state.turns, { id: turn, parent, asked }];
  const branched = state.branched || branch !== undefined;
  const next = { ...state, id, turn, asked, app, turns, branched, leaf: turn };
  return asked === null && app === null ? append(next, { kind: 'agent_initiated', key: `agent-initiated-${turn}`, turn }) : next;
}

/** Changes the text that streams under an id, or begins it. */
function streamed(
  state: Conversation,
  id: MessageId,
  thinking: boolean | null,
  change: (text: string) => string,
): Conversation {
  const at = state.items.findLastIndex((item) => item.kind === 'message' && item.key === id);
  const item = state.items[at];
  if (item?.kind === 'message') {
    // A complete message takes no more text.
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
  const known = mayBeAbout(state.items, message) ? state.items.findLastIndex((item) => isAbout(item, message)) : -1;
  const item = state.items[known];
  if (item) return replace(state, known, updated(item, message));
  if (message.message_type === 'tool_result') return append(state, toolOf(message));
  const asks = typeof message.metadata['prompt_id'] === 'string';
  const prompt = asks ? state.items.findLastIndex((one) => one.kind === 'prompt' && isAboutPrompt(message, one.prompt)) : -1;
  const waiting = state.items[prompt];
  if (waiting?.kind === 'prompt') return replace(state, prompt, { ...waiting, message });
  const fails = message.message_type === 'error';
  const error = fails ? state.items.findLastIndex((one) => one.kind === 'error' && saysTheSame(one, message)) : -1;
  const added: Item = { kind: 'message', key: message.id, message, streaming: false };
  return error >= 0 ? replace(state, error, added) : append(state, added);
}

/** Whether a message updates an item. */
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
    // The progress holds until the status changes.
    const { progress: before, ...rest } = item;
    const progress = use.progress ?? (use.status === item.status ? before : undefined);
    const input = use.input ?? item.input;
    const next = { ...rest, tool: use.tool, status: use.status, ...(progress && { progress }), ...(input !== undefined && { input }) };
    // A call that was approved runs after its prompt, so it moves below it.
    const moves = item.status === 'waiting' && use.status !== 'waiting';
    return moves ? append({ ...state, items: state.items.toSpliced(at, 1) }, next) : replace(state, at, next);
  }
  const { call_id: key, tool, status, progress, input } = use;
  const known = { ...(progress && { progress }), ...(input !== undefined && { input }) };
  return append(state, { kind: 'tool', key, turn: state.turn, tool, status, ...known, result: null });
}

function withArtifact(state: Conversation, artifact: { kind: string; id: string }): Conversation {
  const count = (state.shown?.count ?? 0) + 1;
  const shown = append(state, { kind: 'artifact', key: `artifact-${count}`, turn: state.turn, artifact });
  return { ...shown, shown: { artifact, count } };
}

function withPrompt(state: Conversation, prompt: UserPrompt): Conversation {
  const known = state.items.findIndex((item) => item.kind === 'prompt' && item.key === prompt.messageId);
  const item = state.items[known];
  if (item?.kind === 'prompt') return replace(state, known, { ...item, prompt });
  const fresh = { kind: 'prompt', key: prompt.messageId, turn: state.turn, prompt, app: state.app, closed: null } as const;
  const said = state.items.findLastIndex((one) => one.kind === 'message' && isAboutPrompt(one.message, prompt));
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

/** Whether a message is the one about a prompt. */
function isAboutPrompt(message: Message, prompt: UserPrompt): boolean {
  return message.metadata['prompt_id'] === prompt.messageId;
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
  // Text that never became a message has ended with its turn.
  const streams = state.items.some((item) => item.kind === 'message' && item.streaming);
  const items = streams ? state.items.map((item) => settled(item)) : state.items;
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

/**
 * The ids that items may be found by: at least those of the items, so that most messages of a long history, which
 * are new, are not looked for in all that came before. States that follow each other share it.
 */
const IDS = new WeakMap<readonly Item[], Set<string>>();

function idsOf(items: readonly Item[]): Set<string> {
  let ids = IDS.get(items);
  if (!ids) {
    ids = new Set();
    for (const item of items) addIds(ids, item);
    // The empty list is that of all conversations.
    if (items.length > 0) IDS.set(items, ids);
  }
  return ids;
}

function addIds(ids: Set<string>, item: Item): void {
  ids.add(item.key);
  if (item.kind === 'prompt' && item.message) ids.add(item.message.id);
  if (item.kind === 'tool' && item.result) ids.add(item.result.id);
}

function mayBeAbout(items: readonly Item[], message: Message): boolean {
  const ids = idsOf(items);
  const call = callOf(message);
  return ids.has(message.id) || (call !== null && ids.has(call));
}

/** The items that follow from others by adding one, or by putting one in the place of another. */
function following(before: readonly Item[], items: readonly Item[], changed: Item): readonly Item[] {
  const ids = IDS.get(before);
  if (ids) {
    addIds(ids, changed);
    IDS.set(items, ids);
  }
  return items;
}

function append(state: Conversation, item: Item): Conversation {
  return { ...state, items: following(state.items, state.items.concat(item), item) };
}

function replace(state: Conversation, at: number, item: Item): Conversation {
  return { ...state, items: following(state.items, state.items.with(at, item), item) };
}
