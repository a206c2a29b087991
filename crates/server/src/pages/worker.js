// The service worker: a page for offline, and notifications. It stores four public files and nothing
// that anybody wrote; every answer of the server goes past it.
'use strict';

const VERSION = '{version}';
const STORE = `parlor-offline-${VERSION}`;
const FILES = ['/offline', '/assets/style.css', '/assets/theme.js', '/assets/offline.js', '/assets/icon.svg'];
const ICON = '/icons/parlor-192.png';

const TEXTS = {
  en: {
    closed: 'This was answered already, or the time for it is up.',
    login: 'Please log in to answer.',
    failed: 'The answer could not be sent. Open it to try again.',
  },
  pt: {
    closed: 'Isto já foi respondido, ou o tempo acabou.',
    login: 'Entre para responder.',
    failed: 'A resposta não pôde ser enviada. Abra para tentar de novo.',
  },
};

self.addEventListener('install', (event) => {
  // Requests that the worker has no say in do not wait for it.
  const past = ['/api/*', '/ws/*'].map((pathname) => ({ condition: { urlPattern: { pathname } }, source: 'network' }));
  event.waitUntil(Promise.all([fill(), event.addRoutes?.(past)?.catch?.(() => undefined)]));
  // A new version of the server has a new worker, and nothing of the old one is kept.
  self.skipWaiting();
});

self.addEventListener('activate', (event) => event.waitUntil(takeOver()));

async function fill() {
  const store = await caches.open(STORE);
  await store.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })));
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== STORE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, searchParams } = new URL(request.url);
  if (origin !== self.location.origin) return;
  const leaves = request.mode === 'navigate' && ((request.method === 'POST' && pathname === '/logout') || (pathname === '/login' && searchParams.has('ended')));
  if (leaves) event.waitUntil(forget());
  if (request.method !== 'GET' || pathname.startsWith('/api/')) return;
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => stored('/offline')));
  else if (FILES.includes(pathname)) event.respondWith(fetch(request).catch(() => stored(pathname)));
});

async function stored(file) {
  return (await caches.match(file)) ?? Response.error();
}

// A session has ended: nothing of it stays on this device.
async function forget() {
  const shown = await self.registration.getNotifications();
  shown.forEach((one) => one.close());
  await badge(0);
  const subscription = await self.registration.pushManager?.getSubscription().catch(() => null);
  await subscription?.unsubscribe().catch(() => undefined);
}

self.addEventListener('push', (event) => {
  let said = null;
  try {
    said = event.data?.json();
  } catch {
    // Not from this server.
  }
  if (said && typeof said.tag === 'string') event.waitUntil(tell(said));
});

async function tell(said) {
  await badge(said.waiting);
  const shown = await self.registration.getNotifications({ tag: said.tag });
  if (said.kind === 'closed') {
    // Another notification is shown anyway: this one goes. Alone it is replaced without a sound,
    // because browsers want to see something for each message. Who put it away is not told again.
    if (shown.length === 0) return;
    const all = await self.registration.getNotifications();
    if (all.length > shown.length) return shown.forEach((one) => one.close());
    return show(said, { silent: true, data: { kind: 'closed', conversation: said.conversation } });
  }
  if (await isInFront(said)) return;
  const { answer } = said;
  const actions = answer ? [{ action: 'allow', title: answer.allow }, { action: 'refuse', title: answer.refuse }] : [];
  await show(said, {
    actions,
    // Said again because the server did not know that it had arrived: without another sound.
    renotify: false,
    silent: shown.length > 0,
    requireInteraction: said.kind === 'prompt',
    data: { kind: said.kind, conversation: said.conversation, prompt: answer?.prompt, lang: said.lang, title: said.title, tag: said.tag },
  });
}

function show({ title, body, tag, lang }, more) {
  return self.registration.showNotification(title, { body, tag, lang, icon: ICON, badge: ICON, ...more });
}

// Whether the person looks at it right now, on this device.
async function isInFront(said) {
  if (said.kind === 'test' || !said.conversation) return false;
  const pages = await self.clients.matchAll({ type: 'window' });
  return pages.some((page) => page.focused && new URL(page.url).pathname === pathOf(said.conversation));
}

function pathOf(conversation) {
  return conversation ? `/c/${encodeURIComponent(conversation)}` : '/chat';
}

async function badge(count) {
  try {
    if (Number.isInteger(count) && count > 0) await self.navigator.setAppBadge?.(count);
    else await self.navigator.clearAppBadge?.();
  } catch {
    // Not installed.
  }
}

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  const { data } = notification;
  notification.close();
  const answers = data?.prompt && (action === 'allow' || action === 'refuse');
  event.waitUntil(answers ? answer(data, action === 'allow' ? 'yes' : 'no') : open(pathOf(data?.conversation)));
});

async function answer(data, response) {
  const { prompt, conversation, lang, title, tag } = data;
  const texts = TEXTS[lang] ?? TEXTS.en;
  let text = texts.failed;
  try {
    const answered = await fetch(`/api/prompts/${encodeURIComponent(prompt)}/response`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response }),
    });
    if (answered.ok) return;
    if (answered.status === 401) text = texts.login;
    if (answered.status === 404 || answered.status === 409) text = texts.closed;
  } catch {
    // Offline.
  }
  await show({ title, body: text, tag, lang }, { data: { kind: 'failed', conversation } });
}

async function open(path) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = pages.find((page) => new URL(page.url).pathname === path);
  if (there) return there.focus();
  const any = pages.find((page) => 'navigate' in page);
  if (any) {
    const moved = await any.navigate(path).catch(() => null);
    if (moved) return moved.focus();
  }
  return self.clients.openWindow(path);
}

// The browser has another subscription: the server gets it.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));

async function subscribeAgain({ oldSubscription, newSubscription }) {
  const options = oldSubscription?.options;
  const subscription = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)));
  if (!subscription) return;
  const language = self.navigator.language?.startsWith('pt') ? 'pt' : 'en';
  await fetch('/api/push/subscription', {
    method: 'PUT',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subscription: subscription.toJSON(), language }),
  });
}
