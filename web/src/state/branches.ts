/**
 * Branches (U-7): the turns of a conversation as a tree, and the path through it that is shown.
 *
 * A turn follows the turn before it in the log unless its `start` says otherwise. The path ends
 * with the last turn that began, or with the one that a person chose since. Pure.
 */

import type { UserPrompt } from '../protocol/generated';
import type { Conversation, Item, TurnNode } from './model';

/** The conversation with the items of its path only. Without branches it is the same object. */
export function shown(conversation: Conversation): Conversation {
  if (!conversation.branched) return conversation;
  const known = paths.get(conversation);
  if (known) return known;
  const { turns, leaf, items } = conversation;
  const path = pathTo(turns, leaf);
  const isOn = (item: Item) => {
    const turn = turnOf(item);
    return turn === null || path.has(turn);
  };
  const asked = turns.find((turn) => turn.id === leaf)?.asked ?? null;
  const onlyPath = { ...conversation, items: items.filter(isOn), asked };
  paths.set(conversation, onlyPath);
  return onlyPath;
}

const paths = new WeakMap<Conversation, Conversation>();

function pathTo(turns: readonly TurnNode[], leaf: string | null): Set<string> {
  const parents = new Map(turns.map((turn) => [turn.id, turn.parent]));
  const path = new Set<string>();
  for (let turn = leaf; turn !== null && !path.has(turn); turn = parents.get(turn) ?? null) path.add(turn);
  return path;
}

/** The turn that an item is part of. */
export function turnOf(item: Item): string | null {
  return item.kind === 'message' ? item.message.turn_id : item.turn;
}

/** The prompt that waits on the path that is shown; the oldest one if there are several. */
export function openPrompt(conversation: Conversation): UserPrompt | null {
  const item = shown(conversation).items.find((one) => one.kind === 'prompt' && one.closed === null);
  return item?.kind === 'prompt' ? item.prompt : null;
}

/** The turns that follow the same turn, in the order in which they began, by each of them that has a message of a person. */
export function versions({ turns, branched }: Conversation): ReadonlyMap<string, readonly string[]> {
  const none: ReadonlyMap<string, readonly string[]> = new Map();
  if (!branched) return none;
  const known = siblings.get(turns);
  if (known) return known;
  const children = new Map<string | null, string[]>();
  for (const { id, parent, asked } of turns) {
    if (asked !== null) children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const several = [...children.values()].filter((list) => list.length > 1);
  const found = new Map(several.flatMap((list) => list.map((id) => [id, list] as const)));
  siblings.set(turns, found);
  return found;
}

const siblings = new WeakMap<readonly TurnNode[], ReadonlyMap<string, readonly string[]>>();
