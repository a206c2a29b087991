/**
 * All keys, in one table: handlers ask it whether a key is theirs, and the list of keys is made of it. `Mod` is the
 * command key of a Mac, and Ctrl elsewhere.
 */

import type { Key } from '../i18n';

export type KeyName = keyof typeof KEYS;

interface Shortcut {
  keys: readonly string[];
  /** What it does. */
  does: Key;
}

export const KEYS = {
  palette: { keys: ['Mod', 'K'], does: 'keys.palette' },
  help: { keys: ['?'], does: 'keys.help' },
  send: { keys: ['Enter'], does: 'keys.send' },
  newline: { keys: ['Shift', 'Enter'], does: 'keys.newline' },
  send_always: { keys: ['Mod', 'Enter'], does: 'keys.send_always' },
  quote: { keys: ['>'], does: 'keys.quote' },
  stop: { keys: ['Esc'], does: 'keys.stop' },
  option: { keys: ['1', '…', '9'], does: 'keys.option' },
  choose: { keys: ['Enter'], does: 'keys.choose' },
  back: { keys: ['Esc'], does: 'keys.back' },
  move: { keys: ['↑', '↓'], does: 'keys.move' },
  resize: { keys: ['←', '→'], does: 'keys.resize' },
} as const satisfies Record<string, Shortcut>;

/** The table in parts, as it is shown. */
export const KEY_GROUPS: readonly { title: Key; names: readonly KeyName[] }[] = [
  { title: 'keys.anywhere', names: ['palette', 'help', 'back'] },
  { title: 'keys.writing', names: ['send', 'newline', 'send_always', 'quote', 'stop'] },
  { title: 'keys.cards', names: ['option', 'choose'] },
  { title: 'keys.lists', names: ['move', 'resize'] },
];

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** Whether a key is the one of a name. Either of Ctrl and the command key is `Mod`. */
export function isKey(event: Pressed, name: KeyName): boolean {
  const keys: readonly string[] = KEYS[name].keys;
  const wanted = keys.at(-1) === 'Esc' ? 'escape' : (keys.at(-1) ?? '').toLowerCase();
  if (event.altKey || (event.ctrlKey || event.metaKey) !== keys.includes('Mod')) return false;
  // Shift is a part of how a sign is typed, as with "?".
  if (wanted.length > 1 && event.shiftKey !== keys.includes('Shift')) return false;
  return event.key.toLowerCase() === wanted;
}

/** How keys are written on this machine. */
export function written(name: KeyName, isMac: boolean): string[] {
  return KEYS[name].keys.map((key) => (key === 'Mod' ? (isMac ? '⌘' : 'Ctrl') : key));
}

export const onMac = (): boolean => /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '');
