import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, expectAccessible, test } from './fixtures';
import { Model } from './model';
import { ParlorServer } from './server';

const CLIENT = 'parlor';
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/**
 * A provider of OpenID Connect. It is at another site than Parlor (`localhost`, not `127.0.0.1`), as real ones are: a
 * request that comes from there carries no cookie of a session, redirected or not.
 */
class LoginProvider {
  private readonly codes = new Map<string, { challenge: string; nonce: string; person: string }>();
  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<LoginProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const provider = new LoginProvider(server, `http://localhost:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      void provider.answer(request).then(({ status = 200, headers = {}, body }) => {
        const isPage = typeof body === 'string';
        response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers });
        response.end(isPage ? body : JSON.stringify(body));
      });
    });
    return provider;
  }

  stop(): void {
    this.server.close();
  }

  private async answer(request: IncomingMessage): Promise<{ status?: number; headers?: Record<string, string>; body: unknown }> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
    const asked = (name: string) => searchParams.get(name) ?? '';
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return {
          body: {
            issuer: this.issuer,
            authorization_endpoint: `${this.issuer}/authorize`,
            token_endpoint: `${this.issuer}/token`,
            jwks_uri: `${this.issuer}/keys`,
            end_session_endpoint: `${this.issuer}/end`,
          },
        };
      case '/keys':
        return { body: { keys: [{ ...KEY.publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig' }] } };
      case '/authorize': {
        const back = (person: string) => {
          const code = `code-${this.codes.size}`;
          this.codes.set(code, { challenge: asked('code_challenge'), nonce: asked('nonce'), person });
          return `${asked('redirect_uri')}?code=${code}&state=${asked('state')}`;
        };
        const no = `${asked('redirect_uri')}?error=access_denied&state=${asked('state')}`;
        const links = ['Ana', 'Eve'].map((person) => `<a href="${back(person)}">I am ${person}</a>`);
        // Whoever has a session there is sent back at once; the browser never shows a page of it.
        const redirect = `<form action="/at-once"><input type="hidden" name="to" value="${back('Ana')}"><button>At once</button></form>`;
        return { body: `<title>Provider</title>${links.join(' ')} <a href="${no}">Refuse</a> ${redirect}` };
      }
      case '/at-once':
        return { status: 303, headers: { location: asked('to') }, body: '' };
      case '/token':
        return this.exchange(new URLSearchParams(await textOf(request)));
      case '/end':
        return {
          body: `<title>Provider</title><p>You logged out${asked('id_token_hint') === '' ? ' of something' : ''}.</p><a href="${asked('post_logout_redirect_uri')}">Back</a>`,
        };
      default:
        return { status: 404, body: '' };
    }
  }

  private exchange(asked: URLSearchParams): { status?: number; body: unknown } {
    const proof = createHash('sha256').update(asked.get('code_verifier') ?? '').digest('base64url');
    const found = this.codes.get(asked.get('code') ?? '');
    this.codes.delete(asked.get('code') ?? '');
    if (found?.challenge !== proof) return { status: 400, body: { error: 'invalid_grant' } };
    const now = Math.floor(Date.now() / 1000);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      iss: this.issuer, aud: CLIENT, nonce: found.nonce, iat: now, exp: now + 300,
      sub: found.person, name: found.person, groups: found.person === 'Ana' ? ['family'] : [],
    };
    const signed = `${part({ alg: 'ES256', kid: '1' })}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: KEY.privateKey, dsaEncoding: 'ieee-p1363' });
    return { body: { access_token: 'a', token_type: 'Bearer', id_token: `${signed}.${signature.toString('base64url')}` } };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Y-1, X-2: the session begins on the way back from another site, and ends there as well. */
test('a person logs in with a provider, and out again @both', async ({ page }) => {
  const provider = await LoginProvider.start();
  const model = await Model.start();
  const place = 'tenants.home.login.oidc.work';
  const server = new ParlorServer(
    model.url,
    `[${place}]\ntitle = "Work & Co"\nissuer = "${provider.issuer}"\nclient_id = "${CLIENT}"\nallow_private_addresses = true\n` +
      `[${place}.claims]\nrequire = { claim = "groups", values = ["family"] }\n`,
  );
  await server.start();
  try {
    await page.goto(`${server.url}/chat`);
    const logIn = page.getByRole('link', { name: 'Log in with Work & Co' });
    await expect(logIn).toBeVisible();
    await expectAccessible(page, 'the form with a provider');
    await logIn.click();
    await page.getByRole('link', { name: 'Refuse' }).click();
    await expect(page.getByText('Work & Co did not log you in.')).toBeVisible();
    await expectAccessible(page, 'a login that was refused');
    await page.getByRole('link', { name: 'Back to the login' }).click();
    await logIn.click();
    await page.getByRole('link', { name: 'I am Eve' }).click();
    await expect(page.getByText('Work & Co knows you, but you have no access here.')).toBeVisible();
    await page.getByRole('link', { name: 'Back to the login' }).click();
    await logIn.click();
    await page.getByRole('link', { name: 'I am Ana' }).click();
    await expect(page).toHaveURL(`${server.url}/chat`);
    await expect(page.locator('#composer')).toBeVisible();
    await page.reload();
    await expect(page.locator('#composer')).toBeVisible();
    const before = await page.evaluate(() => document.referrer);
    expect(before, 'no page is told the code').not.toContain('code');
    await page.goBack();
    await expect(page, 'the code is not in the history').toHaveTitle('Provider');
    await page.goForward();
    await page.getByRole('button', { name: 'Log out' }).click();
    await expect(page.getByText('You logged out.')).toBeVisible();
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(page).toHaveURL(`${server.url}/login`);
    await logIn.click();
    await page.getByRole('button', { name: 'At once' }).click();
    await expect(page.locator('#composer')).toBeVisible();
  } finally {
    await server.end();
    model.stop();
    provider.stop();
  }
});
