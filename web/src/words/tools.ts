/** What tools do, in words. A tool that is not known here is called by its name. */

import type { Key, Words } from '.';

const KNOWN = [
  'list_recipes',
  'get_recipe',
  'display_recipe',
  'create_recipe',
  'update_recipe',
  'delete_recipe',
] as const;

type Known = (typeof KNOWN)[number];

/** Names that say by themselves that something goes away. */
const DESTRUCTIVE = /(^|_)(delete|remove|drop|destroy|erase|purge|wipe)(_|$)/;

export interface ToolWords {
  /** "delete a recipe", after "Parlor wants to". */
  wants: string;
  /** "Delete recipe", on a button. */
  act: string;
  running: string;
  done: string;
  failed: string;
  denied: string;
}

/** `mcp__vault__delete_recipe` and `vault.delete_recipe` are `delete_recipe`. */
export function plainName(name: string): string {
  return name.split(/__|[./:]/).at(-1) || name;
}

export function readableName(name: string): string {
  return plainName(name).replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').trim().toLowerCase() || name;
}

export function isDestructive(name: string): boolean {
  return DESTRUCTIVE.test(readableName(name).replace(/ /g, '_'));
}

/** Whether there are words for a tool here, so that nobody else's are needed. */
export function hasWords(name: string): boolean {
  return KNOWN.some((one) => one === plainName(name));
}

export function toolWords(words: Words, name: string): ToolWords {
  const plain = plainName(name);
  const known = KNOWN.find((one) => one === plain);
  if (known) {
    const say = (form: string) => words.t(`tool.${known satisfies Known}.${form}` as Key);
    return {
      wants: say('wants'),
      act: say('act'),
      running: say('running'),
      done: say('done'),
      failed: say('failed'),
      denied: words.t('tool.denied', { act: say('act') }),
    };
  }
  const values = { name: readableName(name) };
  const act = values.name.charAt(0).toUpperCase() + values.name.slice(1);
  return {
    wants: words.t('tool.other.wants', values),
    act,
    running: words.t('tool.other.running', values),
    done: words.t('tool.other.done', values),
    failed: words.t('tool.other.failed', values),
    denied: words.t('tool.denied', { act: values.name }),
  };
}
