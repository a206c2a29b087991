/** Texts for tools. A tool that is not known here is called by its name. */

import type { I18n, Key } from '.';

const KNOWN = [
  'list_recipes',
  'get_recipe',
  'display_recipe',
  'create_recipe',
  'update_recipe',
  'delete_recipe',
  'run_command',
  'change_file',
] as const;

type Known = (typeof KNOWN)[number];

/** What agents call tools that all of them have; some name only the kind of the tool. */
const ALIASES: ReadonlyMap<string, Known> = new Map([
  ['execute', 'run_command'],
  ['exec_command', 'run_command'],
  ['run_shell_command', 'run_command'],
  ['edit', 'change_file'],
]);

/** Names of tools that delete something. */
const DESTRUCTIVE = /(^|_)(delete|remove|drop|destroy|erase|purge|wipe)(_|$)/;

export interface ToolTexts {
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

/** Whether a tool has texts here, so that the server's question is not needed. */
export function hasToolTexts(name: string): boolean {
  return knownTool(name) !== undefined;
}

function knownTool(name: string): Known | undefined {
  const plain = plainName(name);
  return KNOWN.find((one) => one === plain) ?? ALIASES.get(plain);
}

/** Tools whose object has no name. */
const NAMELESS: readonly Known[] = ['list_recipes', 'run_command'];

/** `object` is the name of the one thing that a call is about, where it is known. */
export function toolTexts(i18n: I18n, name: string, object: string | null = null): ToolTexts {
  const known = knownTool(name);
  if (known) {
    const text = (form: string) => i18n.t(`tool.${known satisfies Known}.${form}` as Key);
    const wants = object !== null && !NAMELESS.includes(known) ? i18n.t(`tool.${known}.wants_named` as Key, { object }) : text('wants');
    return {
      wants,
      act: text('act'),
      running: text('running'),
      done: text('done'),
      failed: text('failed'),
      denied: i18n.t('tool.denied', { act: text('act') }),
    };
  }
  const values = { name: readableName(name) };
  const act = values.name.charAt(0).toUpperCase() + values.name.slice(1);
  return {
    wants: object === null ? i18n.t('tool.other.wants', values) : i18n.t('tool.other.wants_named', { ...values, object }),
    act,
    running: i18n.t('tool.other.running', values),
    done: i18n.t('tool.other.done', values),
    failed: i18n.t('tool.other.failed', values),
    denied: i18n.t('tool.denied', { act: values.name }),
  };
}
