/** The service worker: the page for offline, and notifications while the page is closed. */

const WORKER = '/sw.js';

interface ScriptUrls {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrls): ScriptUrls;
}

let policy: ScriptUrls | null = null;

/** The policy of the page takes no address as a string: this one alone is trusted. */
function trustedAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return WORKER;
  policy ??= trustedTypes.createPolicy('service-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError('not the service worker');
      return url;
    },
  });
  return policy.createScriptURL(WORKER);
}

/** Without a worker everything works, but for notifications and the page for offline. */
export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(trustedAddress(), { scope: '/' });
  } catch {
    // Not over plain http, nor in every private window.
  }
}

/** Whether this browser can be notified while the page is closed, at this address. */
export function canSubscribe(): boolean {
  return window.isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/** The subscription of this browser, if it has one. */
export async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** How long a push service may take to answer the browser, in milliseconds. */
const PATIENCE = 20_000;

/** Subscribes this browser, in place of what it had. Some wait for ever without their push service. */
export async function newSubscription(key: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the push service does not answer')), PATIENCE);
  });
  return Promise.race([pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), late]);
}

interface About {
  kind?: string;
  conversation?: string;
}

/** Puts away what was said of the conversation that is looked at, and of prompts that no longer wait. */
export async function putAwayNotifications(open: string | null, waiting: readonly string[]): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  for (const shown of (await registration?.getNotifications?.()) ?? []) {
    const { kind, conversation } = (shown.data ?? {}) as About;
    const isSeen = open !== null && conversation === open;
    if (isSeen || (kind === 'prompt' && !waiting.includes(shown.tag))) shown.close();
  }
}

/** The number on the icon of the installed page. */
export function showBadge(count: number): void {
  const done = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  // Pages that are not installed have none.
  done?.catch(() => undefined);
}
