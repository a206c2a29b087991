/** A tool server behind an authorization server, whose login page asks which account it is. */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A tool server with a login page of its own. It is at another site than Parlor (`localhost`, not `127.0.0.1`), as
 * real ones are: a browser that comes back from it sends no cookie with its first request.
 */
export class GuardedServer {
  private readonly codes = new Map<string, { proof: string; account: string }>();
  private readonly accounts = new Map<string, string>();
  /** The account whose token each call of a tool came with. */
  readonly calls: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<GuardedServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const guarded = new GuardedServer(server, `http://localhost:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      void guarded.answer(request).then(({ status = 200, headers = {}, body = '' }) => {
        const isPage = typeof body === 'string';
        response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers });
        response.end(isPage ? body : JSON.stringify(body));
      });
    });
    return guarded;
  }

  stop(): void {
    this.server.close();
  }

  private async answer(request: IncomingMessage): Promise<{ status?: number; headers?: Record<string, string>; body?: unknown }> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const body = await textOf(request);
    switch (pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return { body: { resource: `${this.url}/mcp`, authorization_servers: [this.url] } };
      case '/.well-known/oauth-authorization-server':
        return {
          body: {
            issuer: this.url,
            authorization_endpoint: `${this.url}/authorize`,
            token_endpoint: `${this.url}/token`,
            registration_endpoint: `${this.url}/register`,
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
          },
        };
      case '/register':
        return { status: 201, body: { client_id: 'parlor', redirect_uris: (JSON.parse(body) as { redirect_uris: string[] }).redirect_uris } };
      case '/authorize': {
        const back = (answer: string) => `${searchParams.get('redirect_uri')}?${answer}&state=${searchParams.get('state')}`;
        const allow = (account: string, label: string) => {
          const code = `code-${this.codes.size}`;
          this.codes.set(code, { proof: searchParams.get('code_challenge') ?? '', account });
          return `<a href="${back(`code=${code}`)}">${label}</a> `;
        };
        const choices = ['Ana', 'Bob'].map((account) => allow(account, `As ${account}`)).join('');
        return { body: `<title>Calendar</title>${allow('home', 'Allow')}${choices}<a href="${back('error=access_denied')}">Refuse</a>` };
      }
      case '/token': {
        const asked = new URLSearchParams(body);
        const proof = createHash('sha256').update(asked.get('code_verifier') ?? '').digest('base64url');
        const code = this.codes.get(asked.get('code') ?? '');
        if (code?.proof !== proof) return { status: 400, body: { error: 'invalid_grant' } };
        const token = `token-${this.accounts.size}`;
        this.accounts.set(`Bearer ${token}`, code.account);
        return { body: { access_token: token, token_type: 'Bearer', expires_in: 3600 } };
      }
      case '/mcp': {
        const account = this.accounts.get(request.headers.authorization ?? '');
        if (account === undefined) {
          const metadata = `${this.url}/.well-known/oauth-protected-resource/mcp`;
          return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } };
        }
        return this.call(request, body, account);
      }
      default:
        return { status: 404 };
    }
  }

  private call(request: IncomingMessage, body: string, account: string): { status?: number; body?: unknown } {
    if (request.method !== 'POST') return { status: 405 };
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (method === 'tools/call') this.calls.push(account);
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'calendar', version: '1' } },
      'tools/call': { content: [{ type: 'text', text: `The day of ${account}.` }] },
      'tools/list': { tools: [{ name: 'today', description: 'What is on today.', inputSchema: { type: 'object' } }] },
    };
    return id === undefined ? { status: 202 } : { body: { jsonrpc: '2.0', id, result: results[method] ?? {} } };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
