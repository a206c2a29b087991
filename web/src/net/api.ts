/** The routes that this page uses, and the shapes that `protocol` does not generate. */

import type {
  ChatRequest,
  ConversationId,
  Message,
  Mode,
  Preview,
  ProjectId,
  PromptAnswer,
  PromptClosed,
  Timestamp,
  ToolCall,
  UserPrompt,
} from '../protocol/generated';
import { decodeEvent, isFields, type LogEvent } from './decode';
import { ask, askJson } from './http';
import { readEvents } from './sse';

export interface Project {
  id: ProjectId;
  name: string;
  on_reload: 'new' | 'resume';
  /** Whether Recipe Vault is among its tools. */
  recipe_vault: boolean;
  /** What answers; administrators only. */
  agent?: string;
  message_chars: number;
  /** Whether its model looks at pictures. */
  takes_pictures: boolean;
  look?: Look;
}

/** What is configured of how a project looks. */
export interface Look {
  greeting?: Words;
  intro?: Words;
  suggestions?: { text: Words; hint?: Words; mode?: Mode }[];
  /** The address of the logo. */
  logo?: string;
  /** Readable in each theme. */
  accent?: { light: string; dark: string };
}

export type Words = Record<'en' | 'pt', string>;

export interface Me {
  role: 'user' | 'admin';
  tenant: string;
  name: string;
  /** Who it is; none for the shared account. */
  person?: { id: string; name: string; login?: string; roles?: string[] };
  /** Whether administrators read the conversations that people have to themselves. */
  admins_read_conversations: boolean;
  /** Who may open links to conversations. */
  share_links: 'off' | 'tenant' | 'anyone';
  default_project: ProjectId;
  projects: Project[];
  limits: {
    message_chars: number;
    image_bytes: number;
    messages_per_minute: number;
    /** Files of a message: how many, the largest, all together, and characters of text. */
    files: number;
    file_bytes: number;
    files_bytes: number;
    file_chars: number;
    /** 0 if a conversation is deleted for good at once. */
    undo_deletion_seconds?: number;
  };
  locale: 'en' | 'pt';
}

export type Visibility = 'private' | 'tenant';

export interface ConversationSummary {
  id: ConversationId;
  project: ProjectId;
  title: string;
  mode: Mode;
  /** Whose it is; none if it is the shared account's. */
  person?: string;
  visibility: Visibility;
  created_at: Timestamp;
  updated_at: Timestamp;
  running: boolean;
  /** Whether it is on top of the list of whoever reads it. */
  pinned?: boolean;
  /** Whether it is in their archive. */
  archived?: boolean;
  /** When it was deleted, if it still can be restored. */
  deleted_at?: Timestamp;
}

/** The lists that there are. */
export type ListName = 'current' | 'archived' | 'deleted';

/** Where somebody is logged in. */
export interface ListedSession {
  id: string;
  /** What it runs on, in a few words. */
  name: string;
  /** Whose it is, if it is that of an account. */
  person?: { id: string; name: string };
  last_used_at: Timestamp;
  current: boolean;
}

export interface ConversationView extends ConversationSummary {
  messages: Message[];
  cursor: string;
}

export interface ConversationPage {
  conversations: ConversationSummary[];
  next_before?: string;
}

export interface Allowance {
  tool: string;
  /** It does not hold now: words of others were read. */
  suspended: boolean;
}

type Start = { conversation_id: string; turn_id: string; message_id: string };

const conversationPath = (id: ConversationId) => `/api/conversations/${encodeURIComponent(id)}`;
const promptPath = (id: string) => `/api/prompts/${encodeURIComponent(id)}`;

export const listSessions = async () => (await askJson<{ sessions: ListedSession[] }>('/api/sessions')).sessions;
export const endSession = (id: string) => ask(`/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const me = () => askJson<Me>('/api/me');

export function listConversations(list: ListName, before?: string): Promise<ConversationPage> {
  const parameters = new URLSearchParams();
  if (list !== 'current') parameters.set('list', list);
  if (before) parameters.set('before', before);
  const suffix = parameters.size > 0 ? `?${parameters}` : '';
  return askJson<ConversationPage>(`/api/conversations${suffix}`);
}

export const readConversation = (id: ConversationId) =>
  askJson<ConversationView>(conversationPath(id));

export const changeConversation = (id: ConversationId, change: { title?: string; mode?: Mode; visibility?: Visibility; pinned?: boolean; archived?: boolean }) =>
  askJson<ConversationView>(conversationPath(id), { method: 'PATCH', json: change });

/** Deletes a conversation: it can be restored for a while, unless it is deleted for good. */
export const deleteConversation = (id: ConversationId, forGood: boolean) =>
  ask(`${conversationPath(id)}${forGood ? '?for_good=true' : ''}`, { method: 'DELETE' });

export const restoreConversation = (id: ConversationId) =>
  ask(`${conversationPath(id)}/restore`, { method: 'POST' });

export const exportPath = (id: ConversationId, format: 'markdown' | 'json') =>
  `${conversationPath(id)}/export?format=${format}`;

export const stopTurn = (id: ConversationId) =>
  ask(`${conversationPath(id)}/stop`, { method: 'POST' });

/** Goes on with the branch of a turn: with its newest end. */
export const chooseBranch = (id: ConversationId, turn: string) =>
  ask(`${conversationPath(id)}/branch`, { method: 'PUT', json: { turn_id: turn } });

export const appPagePath = (conversation: ConversationId, message: string) =>
  `${conversationPath(conversation)}/apps/${encodeURIComponent(message)}/page`;

/** A call of an app: its result, or the turn in which it is made. */
export const callFromApp = (conversation: ConversationId, message: string, tool: string, input: Record<string, unknown>) =>
  askJson<{ result?: unknown; turn_id?: string }>(`${conversationPath(conversation)}/apps/${encodeURIComponent(message)}/call`, {
    method: 'POST',
    json: { tool, arguments: input },
  });

let ownImages = (id: string) => `/api/images/${encodeURIComponent(id)}`;

/** Where the pictures of messages are: for whoever reads with a link, elsewhere. */
export function showImagesFrom(path: (id: string) => string): void {
  ownImages = path;
}

export const imagePath = (id: string) => ownImages(id);

export const filePath = (id: string) => `/api/files/${encodeURIComponent(id)}`;

/**
 * Sends a message. Resolves when it is acknowledged: it is stored then, and the
 * answer is read from the conversation's own stream.
 */
export async function sendMessage(request: ChatRequest): Promise<Start> {
  const stream = new AbortController();
  const response = await ask('/api/chat', { method: 'POST', json: request, signal: stream.signal });
  if (!response.body) throw new Error('no stream');
  return new Promise<Start>((resolve, reject) => {
    const events = readEvents(response.body as ReadableStream<Uint8Array>, {
      events(list) {
        for (const event of list) {
          const decoded = decodeEvent(event);
          if (decoded?.body.event !== 'start') continue;
          const { message_id, ...start } = decoded.body.data;
          // The start of an agent-initiated turn acknowledges nothing.
          if (message_id === undefined) continue;
          resolve({ ...start, message_id });
          stream.abort();
          return;
        }
      },
    });
    events.then(() => reject(new Error('the stream ended before it began')), reject);
  });
}

export const answerPrompt = (id: string, answer: PromptAnswer) =>
  ask(`${promptPath(id)}/response`, { method: 'POST', json: answer });

/** The preview of an approval with edited arguments; nothing runs. */
export const previewPrompt = (id: string, input: unknown, signal: AbortSignal) =>
  askJson<{ toolCall: ToolCall; preview?: Preview }>(`${promptPath(id)}/preview`, { method: 'POST', json: { input }, signal });

export const extendPrompt = (id: string, seconds: number) =>
  ask(`${promptPath(id)}/extend`, { method: 'POST', json: { seconds } });

/** A prompt that waits, of any conversation. */
export type OpenPrompt = UserPrompt & {
  /** Who asks: `approval`, `agent`, or `mcp:<server>`. */
  origin?: string;
  opened_at?: Timestamp;
  /** Whether it is shown because it names the reader, who does not see its conversation. */
  unseen?: boolean;
};

/** The open prompts of all conversations. */
export async function openPrompts(): Promise<OpenPrompt[]> {
  const answer = await askJson<unknown>('/api/prompts?status=open');
  return listIn(answer, 'prompts').filter(isFields).map(promptIn).filter((p) => p !== null);
}

function promptIn(row: Record<string, unknown>): OpenPrompt | null {
  const prompt = isFields(row['prompt']) ? row['prompt'] : row;
  if (typeof prompt['messageId'] !== 'string') return null;
  const { origin, opened_at, unseen } = row;
  return {
    ...(prompt as unknown as UserPrompt),
    ...(typeof origin === 'string' ? { origin } : {}),
    ...(typeof opened_at === 'number' ? { opened_at } : {}),
    ...(unseen === true ? { unseen } : {}),
  };
}

/** How a prompt ended; null while it is open. */
export async function promptEnd(id: string): Promise<PromptClosed | null> {
  const { closed } = await askJson<{ closed?: PromptClosed }>(promptPath(id));
  return closed ?? null;
}

export async function allowances(id: ConversationId): Promise<Allowance[]> {
  const answer = await askJson<unknown>(`${conversationPath(id)}/allowances`);
  return listIn(answer, 'allowances').flatMap((row) => {
    if (!isFields(row) || typeof row['tool'] !== 'string') return [];
    return [{ tool: row['tool'], suspended: row['suspended'] === true }];
  });
}

export const revokeAllowance = (id: ConversationId, tool: string) =>
  ask(`${conversationPath(id)}/allowances/${encodeURIComponent(tool)}`, { method: 'DELETE' });

/** A list, bare or in a field of this name. */
function listIn(answer: unknown, name: string): unknown[] {
  const list = isFields(answer) ? answer[name] : answer;
  return Array.isArray(list) ? list : [];
}

const recipePath = (id: string) => `/api/recipes/${encodeURIComponent(id)}`;

/** A recipe, and the version of it that a change is made to. */
export interface VersionedRecipe {
  recipe: unknown;
  version: string | null;
}

const versioned = async (response: Response): Promise<VersionedRecipe> => ({ recipe: await response.json(), version: response.headers.get('etag') });

export const readRecipe = async (id: string, signal?: AbortSignal) => versioned(await ask(recipePath(id), signal ? { signal } : {}));

/** Replaces a recipe, unless somebody changed it since this version. */
export const replaceRecipe = async (id: string, recipe: RecipeInput, version: string | null) =>
  versioned(await ask(recipePath(id), { method: 'PUT', json: recipe, ...(version === null ? {} : { headers: { 'if-match': version } }) }));

export const createRecipe = async (recipe: RecipeInput) => versioned(await ask('/api/recipes', { method: 'POST', json: recipe }));

/** A recipe read out of a page or a text. Nothing is stored. */
export const importRecipe = (from: { text: string } | { url: string }, signal: AbortSignal) =>
  askJson<{ recipe: unknown; not_understood: string[] }>('/api/recipes/import', { method: 'POST', json: from, signal });

/** A recipe as it is sent. */
export interface RecipeInput {
  title: string;
  description?: string;
  servings?: number;
  prep_time_minutes?: number;
  cook_time_minutes?: number;
  ingredients: { name: string; quantity?: string; unit?: string; notes?: string }[];
  steps: { instruction: string; duration_minutes?: number }[];
}

export type { LogEvent };

export interface ServerHealth {
  server: string;
  state: 'starting' | 'ready' | 'down';
  tools: number;
  restarts: number;
  problem: string | null;
  warnings: string[];
  /** Whether somebody is logged in to it, if it asks for that. */
  login?: 'needed' | 'more_needed' | 'logged_in' | 'per_person';
}

export interface AdminStatus {
  version: string;
  uptime_seconds: number;
  projects: { id: string; name: string; agent: { kind: string; model: string; warnings?: string[] }; mcp: ServerHealth[] }[];
  /** The last day, by project and hour. */
  activity: Activity[];
  /** Devices that are notified while the page is closed. */
  push?: PushStatus;
  /** The servers that share the database, if there can be several. */
  nodes?: NodesStatus;
}

export interface PushStatus {
  enabled: boolean;
  subscriptions: number;
  failing: number;
  unsent: number;
  problem?: string;
}

export interface NodesStatus {
  channel: 'postgres' | 'redis';
  /** Whether hints of other nodes arrive; without them everything works, but slower. */
  heard: boolean;
  problem?: string;
  nodes: NodeStatus[];
}

export interface NodeStatus {
  name: string;
  version: string;
  /** Whether it is the one that answers. */
  this: boolean;
  alive: boolean;
  started_at: Timestamp;
  beat_at: Timestamp;
  turns: number;
}

export interface Activity {
  project: string;
  /** When the hour began. */
  hour: Timestamp;
  turns: number;
  tokens: number;
  cost_usd: number;
}

export interface BlockedInput {
  id: string;
  at: Timestamp;
  project: ProjectId;
  rule: string;
  category: string;
  action: string;
  excerpt: string;
}

export const adminStatus = (signal: AbortSignal) => askJson<AdminStatus>('/api/admin/status', { signal });

const mcpLogin = (project: string, server: string) =>
  `/api/admin/mcp/${encodeURIComponent(project)}/${encodeURIComponent(server)}/login`;

/** The address of the page on which to log in to a tool server, for the project. */
export const beginMcpLogin = (project: string, server: string) => loginPage(mcpLogin(project, server));

/** The address of a login page, from a route that begins a login. */
export async function loginPage(path: string): Promise<string> {
  const { address } = await askJson<{ address: string }>(path, { method: 'POST' });
  // A browser must not be led to anything but a page.
  if (!/^https?:\/\//.test(address)) throw new Error(address);
  return address;
}

export const logOutOfMcpServer = (project: string, server: string) => ask(mcpLogin(project, server), { method: 'DELETE' });
