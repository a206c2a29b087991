/** U-11: an app on a phone: notifications while the page is closed, and a page for offline. */

import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { Page, Worker } from '@playwright/test';

import { Chat, expect, expectAccessible, test } from './fixtures';
import { Model, words } from './model';
import { API_KEY, ParlorServer } from './server';

test.use({ serviceWorkers: 'allow', permissions: ['notifications'] });

/** What a browser needs a vendor for: a push service, which hands on what it gets, decrypted (RFC 8291). */
class PushService {
  private readonly got: Buffer[] = [];
  private readonly keys: ECDH = createECDH('prime256v1');
  private readonly auth = randomBytes(16);
  private constructor(private readonly server: Server) {
    this.keys.generateKeys();
  }

  static start(): Promise<PushService> {
    return new Promise((resolve) => {
      const server = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () => {
          service.got.push(Buffer.concat(parts));
          response.writeHead(201).end();
        });
      });
      const service = new PushService(server);
      server.listen(0, '127.0.0.1', () => resolve(service));
    });
  }

  get subscription() {
    const { port } = this.server.address() as AddressInfo;
    const keys = { p256dh: this.keys.getPublicKey('base64url'), auth: this.auth.toString('base64url') };
    return { endpoint: `http://127.0.0.1:${port}/push/secret`, expirationTime: null, keys };
  }

  async next(): Promise<{ text: string; said: Record<string, unknown> }> {
    await expect.poll(() => this.got.length, 'a message arrives').toBeGreaterThan(0);
    const text = this.decrypted(this.got.shift() as Buffer);
    return { text, said: JSON.parse(text) as Record<string, unknown> };
  }

  private decrypted(body: Buffer): string {
    const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const secret = this.keys.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.keys.getPublicKey(), sender]);
    const input = Buffer.from(hkdfSync('sha256', secret, this.auth, info, 32));
    const part = (name: string, length: number) => Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${name}\0`, length));
    const opened = createDecipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12));
    opened.setAuthTag(record.subarray(-16));
    const text = Buffer.concat([opened.update(record.subarray(0, -16)), opened.final()]);
    return text.subarray(0, text.lastIndexOf(2)).toString();
  }

  end(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const CONFIG = `[push]
content = "full"
delay = "0s"
long_turn = "1h"
local_services = true
`;

/** Gives the page the subscription that its browser cannot get here. */
function pretend(page: Page, subscription: PushService['subscription']) {
  return page.addInitScript((given) => {
    const made = { ...given, options: {}, toJSON: () => given, unsubscribe: () => Promise.resolve(sessionStorage.removeItem('subscribed')) };
    PushManager.prototype.subscribe = () => {
      sessionStorage.setItem('subscribed', 'yes');
      return Promise.resolve(made as unknown as PushSubscription);
    };
    PushManager.prototype.getSubscription = () => Promise.resolve(sessionStorage.getItem('subscribed') ? (made as unknown as PushSubscription) : null);
  }, subscription);
}

async function workerOf(page: Page): Promise<Worker> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const [worker] = page.context().serviceWorkers();
  return worker ?? page.context().waitForEvent('serviceworker');
}

/** Hands the worker a message, as the browser would. */
async function deliver(page: Page, text: string): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations;
      if (one) resolve(one.registrationId);
    });
  });
  await tools.send('ServiceWorker.enable');
  await tools.send('ServiceWorker.deliverPushMessage', { origin: new URL(page.url()).origin, registrationId: await registered, data: text });
  await tools.detach();
}

const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const all = (await registration.getNotifications()) as (Notification & { actions?: { action: string; title: string }[] })[];
    return all.map((one) => ({ title: one.title, body: one.body, tag: one.tag, actions: (one.actions ?? []).map((action) => action.title) }));
  });

/** A click on a button of the notification. */
const press = (worker: Worker, button: string) =>
  worker.evaluate(async (action) => {
    const self = globalThis as unknown as EventTarget & {
      registration: ServiceWorkerRegistration;
      NotificationEvent: new (type: string, about: object) => Event;
    };
    const [notification] = await self.registration.getNotifications();
    self.dispatchEvent(new self.NotificationEvent('notificationclick', { notification, action }));
  }, button);

/** U-11: on, a test, off; in both languages and themes. */
test('this device is notified @both', async ({ page, isMobile }) => {
  const push = await PushService.start();
  const server = new ParlorServer(null, CONFIG);
  await server.start();
  try {
    await pretend(page, push.subscription);
    const chat = new Chat(page, server, undefined as never);
    await chat.logIn();
    const worker = await workerOf(page);
    expect(worker.url()).toBe(`${server.url}/sw.js`);
    await page.goto(`${server.url}/settings`);
    await page.getByRole('button', { name: 'Notify this device' }).click();
    await expect(page.getByRole('button', { name: 'Send a test' })).toBeVisible();
    await expectAccessible(page, 'notifications are on');
    if (isMobile) {
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    }
    await page.getByRole('button', { name: 'Send a test' }).click();
    await expect(page.getByText('A test is on its way')).toBeVisible();
    await deliver(page, (await push.next()).text);
    await expect.poll(() => shown(page)).toEqual([{ title: 'Parlor', body: 'Notifications work on this device.', tag: 'test', actions: [] }]);
    await page.reload();
    await page.getByRole('radio', { name: 'Português' }).check();
    await expect(page.getByRole('button', { name: 'Enviar um teste' })).toBeVisible();
    await expectAccessible(page, 'as notificações estão ativas');
    await page.getByRole('button', { name: 'Desativar' }).click();
    await expect(page.getByRole('button', { name: 'Avisar neste dispositivo' })).toBeVisible();
  } finally {
    await server.end();
    push.end();
  }
});

/** U-11: a call that is shown whole is allowed from the notification; late answers say so; log-out leaves nothing. */
test('a call is allowed from the notification', async ({ page, request }) => {
  const push = await PushService.start();
  const model = await Model.start();
  const server = new ParlorServer(model.url, `${CONFIG}
[tenants.home.projects.workshop]
name = "Workshop"
prompt_timeout = "0"
[tenants.home.projects.workshop.mcp.workshop]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(join(import.meta.dirname, 'tools.mjs'))}]
prefix = ""
`);
  await server.start();
  try {
    await pretend(page, push.subscription);
    const chat = new Chat(page, server, model);
    await chat.logIn();
    await page.goto(`${server.url}/settings`);
    await page.getByRole('button', { name: 'Notify this device' }).click();
    await expect(page.getByRole('button', { name: 'Send a test' })).toBeVisible();
    const worker = await workerOf(page);
    const headers = { 'X-API-Key': API_KEY };
    model.on(/kitchen timer/, ({ results }) => (results.length > 0 ? words('It rang.') : [{ tool: 'impatient', input: { path: 'soup' } }]));
    // It is answered when the turn is over.
    const turn = request.post(`${server.url}/api/chat`, { headers, data: { message: 'Set the kitchen timer', project: 'workshop' } });
    const asked = await push.next();
    expect(asked.said['answer'], 'all of the call is shown').toBeTruthy();
    await deliver(page, asked.text);
    await expect.poll(async () => (await shown(page))[0]?.actions).toEqual(['Allow once', 'Don’t allow']);
    await press(worker, 'allow');
    const open = async () => ((await (await request.get(`${server.url}/api/prompts?status=open`, { headers })).json()) as { prompts: unknown[] }).prompts.length;
    await expect.poll(open, 'it was answered').toBe(0);
    expect(await (await turn).text()).toContain('impatient did');
    await expect.poll(() => shown(page)).toEqual([]);
    // The same notification on another device, too late.
    await deliver(page, asked.text);
    await expect.poll(async () => (await shown(page)).length).toBe(1);
    await press(worker, 'refuse');
    await expect.poll(async () => (await shown(page))[0]?.body).toBe('This was answered already, or the time for it is up.');
    // Put away at log-out.
    await page.goto(`${server.url}/chat`);
    await page.getByRole('button', { name: /Log out/ }).click();
    await expect(page.locator('#password')).toBeVisible();
    await expect.poll(() => shown(page)).toEqual([]);
  } finally {
    await server.end();
    model.stop();
    push.end();
  }
});

/** U-11: without a connection the page says so, in both languages and themes, and goes on afterwards. */
test('without a connection there is a page @both', async ({ page, isMobile }) => {
  const server = new ParlorServer(null);
  await server.start();
  try {
    const chat = new Chat(page, server, undefined as never);
    await chat.logIn();
    await workerOf(page);
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    const kept = await page.evaluate(async () => {
      const stores = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
      return stores.flat().map((request) => new URL(request.url).pathname).toSorted();
    });
    expect(kept, 'nothing that needs a login').toEqual(['/assets/icon.svg', '/assets/offline.js', '/assets/style.css', '/assets/theme.js', '/offline']);
    await server.kill();
    await page.goto(`${server.url}/chat`);
    await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
    await expectAccessible(page, 'offline');
    if (isMobile) {
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    }
    await page.evaluate(() => localStorage.setItem('parlor.language', 'pt'));
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Você está sem conexão' })).toBeVisible();
    await expectAccessible(page, 'sem conexão');
    await server.start();
    await page.getByRole('link', { name: 'Tentar de novo' }).click();
    await expect(chat.composer).toBeVisible();
  } finally {
    await server.end();
  }
});

