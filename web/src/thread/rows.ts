/**
 * From the items of a conversation to the rows of the thread: those of the path that is shown. Pure.
 *
 * - A version that is on its way stands in the place of what it replaces.
 * - Consecutive tool runs are one row.
 * - Thoughts have a row of their own until the answer comes, and are shown below it
 *   then.
 * - A question without a prompt is answered by the person's next message. One
 *   without options was only classified by its question mark (C-2): it is text.
 */

import { failureCode, type Remedy, remedyOf } from '../i18n/reasons';
import { spentBudget } from '../net/usage';
import type { Message, MessageType, Question, SpentBudget } from '../protocol/generated';
import { shown, turnOf, versions } from '../state/branches';
import type { Conversation, Item, PromptItem, ToolItem } from '../state/model';
import type { Outgoing } from '../state/store';

export type Row =
  /** `answers` is the prompt that it answers, if any; `versions` are the turns that are versions of its turn, if there are others. */
  | { kind: 'person'; key: string; message: Message; answers: PromptItem | null; versions: readonly string[]; editable: boolean }
  | { kind: 'outgoing'; key: string; outgoing: Outgoing }
  /** `last` marks the last text of a turn that is over; `read` is what was read before it that others may have written, `asked` the message that another answer can be asked for. */
  | { kind: 'text'; key: string; message: Message; streaming: boolean; thoughts: readonly string[]; last: boolean; read: readonly ToolItem[]; asked: Message | null }
  | { kind: 'thinking'; key: string; texts: readonly string[]; streaming: boolean }
  /** A typed message without a prompt. */
  | { kind: 'card'; key: string; message: Message; answer: string | null }
  | { kind: 'prompt'; key: string; item: PromptItem }
  | { kind: 'tools'; key: string; tools: readonly ToolItem[]; active: boolean }
  /** `retry` says whether it can be tried again now, `remedy` what else helps. */
  | { kind: 'error'; key: string; text: string; code: string; retry: boolean; remedy: Remedy; budget: SpentBudget | null }
  /** Somebody has to log in to a tool server; `asked` is the message that can be tried again now. */
  | { kind: 'login'; key: string; server: string; asked: Message | null }
  | { kind: 'artifact'; key: string; item: Extract<Item, { kind: 'artifact' }> }
  | { kind: 'agent_initiated'; key: string }
  | { kind: 'ended'; key: string; reason: 'stopped' | 'interrupted'; retry: boolean }
  /** The turn runs and has nothing to show yet. */
  | { kind: 'working'; key: string; queued: boolean };

type Shown = 'text' | 'card' | 'thinking' | 'error';

/** The known types, without the open end of the union. */
type KnownType<T = MessageType> = T extends unknown ? (string & {} extends T ? never : T) : never;

/** How a message of each type is shown. A new type does not compile until it is here (T-7). */
const KNOWN: Record<KnownType, Shown> = {
  text: 'text',
  info: 'text',
  question: 'card',
  multi_question: 'card',
  plan: 'card',
  tool_call: 'card',
  tool_result: 'card',
  error: 'error',
  thinking: 'thinking',
};
const SHOWN_AS: Record<string, Shown | undefined> = KNOWN;

/** Unchanged rows are the same objects as before, so that they are not rendered again. */
export function rowsOf(
  conversation: Conversation,
  outgoing: Outgoing | null,
  before: readonly Row[] = [],
): Row[] {
  const path = without(shown(conversation), outgoing?.inPlaceOf?.turn);
  const rows = new Rows(path);
  path.items.forEach((item, index) => rows.add(item, index));
  const known = new Map(before.map((row) => [row.key, row]));
  return rows.finish(outgoing).map((row) => {
    const same = known.get(row.key);
    return same && sameFields(same, row) ? same : row;
  });
}

/** A conversation up to a turn that is being replaced. */
function without(conversation: Conversation, turn: string | undefined): Conversation {
  const from = turn === undefined ? -1 : conversation.items.findIndex((item) => turnOf(item) === turn);
  return from < 0 ? conversation : { ...conversation, items: conversation.items.slice(0, from) };
}

function sameFields(a: Row, b: Row): boolean {
  const left = Object.entries(a);
  const right = b as unknown as Record<string, unknown>;
  return left.length === Object.keys(b).length && left.every(([name, value]) => same(value, right[name]));
}

function same(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** How much of what was read an answer names. */
const MOST_READ = 3;
const NOTHING: readonly ToolItem[] = [];
const ONE_VERSION: readonly string[] = [];

class Rows {
  private readonly rows: Row[] = [];
  private readonly lastIndex: number;
  /** The prompts so far, by id. */
  private readonly prompts = new Map<unknown, PromptItem>();
  /** What was read that others may have written, the newest first. */
  private read: readonly ToolItem[] = [];
  /** Thoughts that are shown with the answer that follows. */
  private thoughts: { key: string; texts: string[]; streaming: boolean } | null = null;

  /** The messages of people that began a turn. */
  private readonly beginnings: ReadonlySet<string | null>;
  private readonly versions: ReadonlyMap<string, readonly string[]>;
  /** The last of them so far. */
  private began: Message | null = null;

  constructor(private readonly conversation: Conversation) {
    this.lastIndex = conversation.items.length - 1;
    this.beginnings = new Set(conversation.turns.map((turn) => turn.asked));
    this.versions = versions(conversation);
  }

  add(item: Item, index: number): void {
    switch (item.kind) {
      case 'message':
        return this.message(item.message, item.streaming, index);
      case 'tool':
        this.tool(item);
        return this.login(item, index);
      case 'prompt':
        this.prompts.set(item.key, item);
        return this.push({ kind: 'prompt', key: item.key, item });
      case 'error':
        return this.push({
          kind: 'error',
          key: item.key,
          text: item.text,
          code: item.code,
          retry: item.recoverable && this.isOver(index),
          remedy: item.recoverable ? 'again' : 'unknown',
          budget: null,
        });
      case 'artifact':
        return this.push({ kind: 'artifact', key: item.key, item });
      case 'agent_initiated':
        return this.push({ kind: 'agent_initiated', key: item.key });
      case 'ended':
        return this.push({ kind: 'ended', key: item.key, reason: item.reason, retry: this.isOver(index) });
    }
  }

  finish(outgoing: Outgoing | null): Row[] {
    this.flushThoughts();
    const { turn } = this.conversation;
    if (outgoing) this.rows.push({ kind: 'outgoing', key: outgoing.clientId, outgoing });
    const sent = outgoing !== null && outgoing.state === 'sending';
    const queued = this.conversation.queued && !sent;
    if (sent || queued || (turn !== null && !this.showsLife())) this.rows.push({ kind: 'working', key: 'working', queued });
    return this.rows;
  }

  private message(message: Message, streaming: boolean, index: number): void {
    const { id: key } = message;
    if (message.role === 'user') {
      if (message.metadata['clears'] === true) this.read = [];
      const answers = this.prompts.get(message.metadata['answers']) ?? null;
      const begins = this.beginnings.has(key);
      if (begins) this.began = message;
      const list = (begins && this.versions.get(message.turn_id)) || ONE_VERSION;
      return this.push({ kind: 'person', key, message, answers, versions: list, editable: begins && answers === null });
    }
    const as = SHOWN_AS[message.message_type];
    if (as === 'thinking') {
      // A withheld answer is shown once, in the place of its text.
      return message.metadata['withheld'] === true ? undefined : this.think(key, message.content, streaming);
    }
    if (as === 'error') {
      const remedy = remedyOf(message.metadata);
      const code = failureCode(message.metadata);
      const retry = remedy === 'again' && this.isOver(index);
      const budget = spentBudget(message.metadata['budget']);
      return this.push({ kind: 'error', key, text: message.content, code, retry, remedy, budget });
    }
    if (as === 'card' && !isGuess(message)) {
      return this.push({ kind: 'card', key, message, answer: this.answerAfter(index) });
    }
    if (as === undefined) warnOnce(message.message_type);
    const thoughts = this.thoughts?.texts ?? [];
    this.thoughts = null;
    const last = this.isLast(index);
    const asked = last && this.began?.turn_id === message.turn_id ? this.began : null;
    this.rows.push({ kind: 'text', key, message, streaming, thoughts, last, read: last ? this.read : NOTHING, asked });
  }

  private think(key: string, text: string, streaming: boolean): void {
    if (this.thoughts) {
      this.thoughts.texts.push(text);
      this.thoughts.streaming = streaming;
    } else {
      this.thoughts = { key, texts: [text], streaming };
    }
  }

  private tool(item: ToolItem): void {
    if (item.result?.metadata['of_others'] === true) this.read = [item, ...this.read].slice(0, MOST_READ);
    const active = this.conversation.turn !== null && item.turn === this.conversation.turn;
    // Its approval card is shown instead.
    if (item.status === 'waiting' && active && this.isAsked(item.tool)) return;
    this.flushThoughts();
    const last = this.rows.at(-1);
    if (last?.kind === 'tools') {
      this.rows[this.rows.length - 1] = {
        ...last,
        tools: [...last.tools, item],
        active: last.active || active,
      };
    } else {
      this.rows.push({ kind: 'tools', key: `tools-${item.key}`, tools: [item], active });
    }
  }

  /** One card for each server and turn, below the calls that were not made. */
  private login({ result, turn }: ToolItem, index: number): void {
    const server = result?.metadata['code'] === 'login_needed' ? result.metadata['login'] : undefined;
    if (typeof server !== 'string') return;
    const id = `login-${turn}-${server}`;
    if (this.rows.some((row) => row.key === id)) return;
    const rest = this.conversation.items.slice(index + 1);
    const isLast = this.conversation.turn === null && !rest.some((item) => item.kind === 'message' && item.message.role === 'user');
    const asked = isLast && this.began?.turn_id === turn ? this.began : null;
    this.push({ kind: 'login', key: id, server, asked });
  }

  private push(row: Row): void {
    this.flushThoughts();
    this.rows.push(row);
  }

  private flushThoughts(): void {
    if (!this.thoughts) return;
    const { key, texts, streaming } = this.thoughts;
    this.rows.push({ kind: 'thinking', key, texts, streaming });
    this.thoughts = null;
  }

  private isAsked(tool: string): boolean {
    return this.conversation.items.some(
      (item) => item.kind === 'prompt' && item.closed === null && item.prompt.toolCall?.name === tool,
    );
  }

  /** Whether an item is the last one of a turn that is over. */
  private isLast(index: number): boolean {
    const next = this.conversation.items[index + 1];
    if (next === undefined) return this.conversation.turn === null;
    return next.kind === 'ended' || next.kind === 'agent_initiated' || (next.kind === 'message' && next.message.role === 'user');
  }

  /** Whether only the end of the turn follows an item, and a person began the turn. */
  private isOver(index: number): boolean {
    if (this.conversation.turn !== null || this.conversation.asked === null) return false;
    return this.conversation.items.slice(index + 1).every((item) => item.kind === 'ended');
  }

  /** The person's next message, if any. */
  private answerAfter(index: number): string | null {
    if (index === this.lastIndex) return null;
    const next = this.conversation.items
      .slice(index + 1)
      .find((item) => item.kind === 'message' && item.message.role === 'user');
    return next?.kind === 'message' ? next.message.content : null;
  }

  /** Whether the last row shows by itself that the turn is running. */
  private showsLife(): boolean {
    const last = this.rows.at(-1);
    switch (last?.kind) {
      case 'text':
      case 'thinking':
        return last.streaming;
      case 'tools':
        return last.tools.some((tool) => tool.status === 'running' || tool.status === 'waiting');
      case 'prompt':
        return last.item.closed === null;
      default:
        return false;
    }
  }
}

/** Whether a message was only classified as a question by its question mark, and has no options. */
function isGuess({ message_type, options, questions, data }: Message): boolean {
  if (message_type !== 'question' && message_type !== 'multi_question') return false;
  const offered = (data as Partial<Question> | undefined)?.options;
  return [options, questions, offered].every((list) => (list?.length ?? 0) === 0);
}

const warned = new Set<string>();

/** T-7: one warning in the console for each unknown type. */
function warnOnce(type: string): void {
  if (warned.has(type)) return;
  warned.add(type);
  console.warn(`Parlor: a message type that this page does not know is shown as text: ${type}`);
}
