/** Notifications on this device, as the server knows them (U-11). */

import { ask, askJson } from './http';

export interface Notifications {
  /** Whether this browser can subscribe. */
  available: boolean;
  /** The `applicationServerKey`. */
  key?: string;
  /** Whether it is subscribed. */
  subscribed: boolean;
  /** What a notification says. */
  content: 'full' | 'title' | 'none';
}

const SUBSCRIPTION = '/api/push/subscription';

export const notifications = () => askJson<Notifications>('/api/push');

export const subscribe = (subscription: PushSubscription, language: 'en' | 'pt') =>
  ask(SUBSCRIPTION, { method: 'PUT', json: { subscription: subscription.toJSON(), language } });

export const unsubscribe = () => ask(SUBSCRIPTION, { method: 'DELETE' });

export const sendTest = () => ask('/api/push/test', { method: 'POST' });

/** Something that a button does. */
export type Act = () => Promise<void>;
