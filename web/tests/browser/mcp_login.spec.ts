import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { Model } from './model';
import { ADMIN_PASSWORD, ParlorServer } from './server';

/**
 * A tool server with a login page of its own. It is at another site than Parlor (`localhost`, not `127.0.0.1`), as
 * real ones are: a browser that comes back from it sends no cookie with its first request.
 */
class GuardedServer {
  private readonly codes = new Map<string, string>();
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
        const code = `code-${this.codes.size}`;
        this.codes.set(code, searchParams.get('code_challenge') ?? '');
        const back = (answer: string) => `${searchParams.get('redirect_uri')}?${answer}&state=${searchParams.get('state')}`;
        return {
          body: `<title>Calendar</title><a href="${back(`code=${code}`)}">Allow</a> <a href="${back('error=access_denied')}">Refuse</a>`,
        };
      }
      case '/token': {
        const asked = new URLSearchParams(body);
        const proof = createHash('sha256').update(asked.get('code_verifier') ?? '').digest('base64url');
        if (this.codes.get(asked.get('code') ?? '') !== proof) return { status: 400, body: { error: 'invalid_grant' } };
        return { body: { access_token: 'let-me-in', token_type: 'Bearer', expires_in: 3600 } };
      }
      case '/mcp':
        if (request.headers.authorization !== 'Bearer let-me-in') {
          const metadata = `${this.url}/.well-known/oauth-protected-resource/mcp`;
          return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } };
        }
        return this.call(request, body);
      default:
        return { status: 404 };
    }
  }

  private call(request: IncomingMessage, body: string): { status?: number; body?: unknown } {
    if (request.method !== 'POST') return { status: 405 };
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'calendar', version: '1' } },
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

/** I-5: an administrator logs in to a tool server, by way of a page of another site, and out again. */
test('an administrator logs in to a tool server @both', async ({ page }) => {
  const calendar = await GuardedServer.start();
  const model = await Model.start();
  const server = new ParlorServer(
    model.url,
    `[tenants.home.projects.recipes.mcp.calendar]\nurl = "${calendar.url}/mcp"\nallow_private_addresses = true\n`,
  );
  await server.start();
  try {
    await new Chat(page, server, model).logIn(ADMIN_PASSWORD);
    const toAdmin = async () => {
      await page.getByRole('button', { name: 'Administration' }).click();
      await page.getByRole('link', { name: 'Tool servers' }).click();
    };
    await toAdmin();
    const logIn = page.getByRole('button', { name: 'Log in to calendar' });
    await expect(page.getByText('it asks for a login')).toBeVisible();
    await expectAccessible(page, 'a tool server that asks for a login');
    await logIn.click();
    await page.getByRole('link', { name: 'Refuse' }).click();
    await expect(page.getByRole('status')).toHaveText(/The login did not work: the login was refused: access_denied/);
    await expectAccessible(page, 'a login that was refused');
    await page.getByRole('link', { name: 'To the chat' }).click();
    await toAdmin();
    await logIn.click();
    await page.getByRole('link', { name: 'Allow' }).click();
    await expect(page.getByRole('status')).toHaveText('You are logged in. The server is being connected.');
    expect(page.url(), 'the code is not in the history').toBe(`${server.url}/oauth/callback`);
    await page.getByRole('link', { name: 'To the chat' }).click();
    await toAdmin();
    const row = page.getByRole('listitem').filter({ hasText: 'calendar' });
    await expect(row).toContainText('ready · one tool');
    await row.getByRole('button', { name: 'Log out of calendar' }).click();
    await expect(logIn).toBeVisible({ timeout: 15_000 });
  } finally {
    await server.end();
    model.stop();
    calendar.stop();
  }
});
