/**
 * The host of an app (MCP Apps, 2026-01-26): answers what its page asks, over `postMessage`.
 *
 * The page is somebody else's code in a sandboxed frame of no origin. It is heard only through its own window, and
 * everything that it says is checked. It gets what it shows, and may ask for:
 * - calls of tools of its own server, which the server judges like those of an agent;
 * - a link, which the person opens;
 * - a message, which is put into the composer for the person to send.
 *
 * The official host library brings the whole client of MCP and a schema library with it; of these a host that talks
 * to our own server needs nothing.
 */

import { isFields } from '../net/decode';

export const VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
export const FAILED = -32000;
const LONGEST_TEXT = 10_000;
const LONGEST_LINK = 2_000;

export interface Shown {
  /** The arguments of the call, if they are known. */
  input: unknown;
  /** Its result, as MCP writes it. */
  result: unknown;
}

export interface Wishes {
  call(tool: string, input: Record<string, unknown>): Promise<unknown>;
  openLink(url: string): void;
  /** Whether the text was taken over. */
  suggest(text: string): boolean;
  resize(height: number): void;
}

interface Fields {
  [name: string]: unknown;
}

export class AppHost {
  constructor(
    private readonly post: (message: unknown) => void,
    private readonly context: () => Fields,
    private readonly shown: Shown,
    private readonly wishes: Wishes,
  ) {}

  /** Takes a message of the page. */
  async hear(message: unknown): Promise<void> {
    if (!isFields(message) || message['jsonrpc'] !== '2.0' || typeof message['method'] !== 'string') return;
    const params = isFields(message['params']) ? message['params'] : {};
    const id = message['id'];
    if (typeof id !== 'string' && typeof id !== 'number') return this.notified(message['method'], params);
    try {
      this.post({ jsonrpc: '2.0', id, result: await this.asked(message['method'], params) });
    } catch (error) {
      const { code, message: text } = error instanceof Refused ? error : new Refused(FAILED, 'The call did not work.');
      this.post({ jsonrpc: '2.0', id, error: { code, message: text } });
    }
  }

  /** What changed around the page: theme, language, size. */
  contextChanged(): void {
    this.notify('ui/notifications/host-context-changed', this.context());
  }

  /** The page is about to go. */
  teardown(): void {
    this.post({ jsonrpc: '2.0', id: 'teardown', method: 'ui/resource-teardown', params: {} });
  }

  private notify(method: string, params: unknown): void {
    this.post({ jsonrpc: '2.0', method, params });
  }

  private notified(method: string, params: Fields): void {
    if (method === 'ui/notifications/initialized') {
      const { input, result } = this.shown;
      this.notify('ui/notifications/tool-input', { arguments: isFields(input) ? input : {} });
      this.notify('ui/notifications/tool-result', result);
    } else if (method === 'ui/notifications/size-changed' && typeof params['height'] === 'number' && params['height'] > 0) {
      this.wishes.resize(params['height']);
    }
  }

  private async asked(method: string, params: Fields): Promise<unknown> {
    switch (method) {
      case 'ui/initialize':
        return {
          protocolVersion: VERSION,
          hostInfo: { name: 'parlor', version: '1' },
          hostCapabilities: { openLinks: {}, serverTools: {}, message: { text: {} } },
          hostContext: this.context(),
        };
      case 'ping':
        return {};
      case 'tools/call':
        if (typeof params['name'] !== 'string') throw new Refused(INVALID_PARAMS, 'name: it must be a text');
        return this.wishes.call(params['name'], isFields(params['arguments']) ? params['arguments'] : {});
      case 'ui/open-link':
        return this.openLink(params['url']);
      case 'ui/message':
        return { isError: !this.wishes.suggest(textOf(params['content'])) };
      case 'ui/request-display-mode':
        return { mode: 'inline' };
      default:
        throw new Refused(METHOD_NOT_FOUND, 'There is no such method here.');
    }
  }

  private openLink(url: unknown): unknown {
    const link = typeof url === 'string' && url.length <= LONGEST_LINK ? URL.parse(url) : null;
    if (!link || (link.protocol !== 'https:' && link.protocol !== 'http:')) return { isError: true };
    this.wishes.openLink(link.href);
    return {};
  }
}

export class Refused extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [];
  const texts = blocks.filter(isFields).map((block) => (block['type'] === 'text' && typeof block['text'] === 'string' ? block['text'] : ''));
  return texts.join('\n').trim().slice(0, LONGEST_TEXT);
}
