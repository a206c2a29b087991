/** A tool run in one line. Pure but for the catalogue. */

import type { I18n, Key } from '../i18n';
import { plainName, toolTexts } from '../i18n/tools';
import { imagePath } from '../net/api';
import { isFields } from '../net/decode';
import type { ToolResult } from '../protocol/generated';
import type { ToolItem } from '../state/model';

const MOST_CHARS = 140;

/** Outcomes that the status alone does not tell. */
const SPECIAL: Record<string, Key | undefined> = {
  tool_not_run: 'tool.not_run',
  login_needed: 'tool.login_needed',
  tool_withheld: 'tool.withheld',
  outcome_unknown: 'tool.outcome_unknown',
};

export function toolLine(i18n: I18n, item: ToolItem, active: boolean): string {
  const tool = toolTexts(i18n, item.tool);
  const special = SPECIAL[String(item.result?.metadata['code'])];
  if (special) return i18n.t(special, { act: tool.act });
  switch (item.status) {
    case 'waiting':
    case 'running':
      if (active) return item.status === 'waiting' ? i18n.t('tool.waiting', { act: tool.act }) : tool.running;
      return i18n.t('tool.unfinished', { act: tool.act });
    case 'denied':
      return tool.denied;
    case 'error':
      return tool.failed;
    default:
      return found(i18n, item) ?? said(item) ?? tool.done;
  }
}

/** "3 recipes found", where the result is a list of them. */
function found(i18n: I18n, item: ToolItem): string | null {
  if (plainName(item.tool) !== 'list_recipes') return null;
  const list = listIn(item);
  return list ? i18n.count('tool.list_recipes.found', list.length) : null;
}

function listIn(item: ToolItem): unknown[] | null {
  const output = (item.result?.data as ToolResult | undefined)?.output;
  const list = isFields(output) ? (output['recipes'] ?? output['items']) : output;
  return Array.isArray(list) ? list : null;
}

/** Tools whose result is one recipe. */
const ONE_RECIPE = ['get_recipe', 'create_recipe', 'update_recipe'];

/** The recipes of a result that can be opened. */
export function recipesIn(item: ToolItem): { id: string; title: string }[] {
  const tool = plainName(item.tool);
  const output = (item.result?.data as ToolResult | undefined)?.output;
  const list = tool === 'list_recipes' ? (listIn(item) ?? []) : ONE_RECIPE.includes(tool) ? [output] : [];
  return list.flatMap((one) => {
    if (!isFields(one) || typeof one['id'] !== 'string' || typeof one['title'] !== 'string') return [];
    return [{ id: one['id'], title: one['title'] }];
  });
}

/** The tool's own text, if it is prose and fits on a line. */
function said(item: ToolItem): string | null {
  const line = item.result?.content.trim() ?? '';
  const isLine = line !== '' && !line.includes('\n') && line.length <= MOST_CHARS && !/^[[{"]/.test(line);
  return isLine ? line : null;
}

/** G-8: whether the guardrail flagged a result as a possible injection. */
export function isSuspicious(item: ToolItem): boolean {
  return item.result?.metadata['suspicious'] !== undefined;
}

/** The paths of the images in a result. */
export function picturesOf(item: ToolItem): string[] {
  const images = item.result?.metadata['images'];
  if (!Array.isArray(images)) return [];
  return images.flatMap((image: unknown) => (isFields(image) && typeof image['id'] === 'string' ? [imagePath(image['id'])] : []));
}

/** The output of a tool: text as it is, everything else as JSON. */
export function outputText(item: ToolItem): string {
  const output = (item.result?.data as ToolResult | undefined)?.output;
  if (output === undefined || output === null) return item.result?.content ?? '';
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}
