/** A piece of what was said, as a quote in the message field. */

import { continueInComposer } from '../composer/focus';
import { currentDraft, getState, setDraft } from '../state/store';

/** The text as a quote of markdown: each line after the sign. */
export function quoted(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? '>' : `> ${line.trimEnd()}`))
    .join('\n');
}

/** Puts a quote at the end of the draft, and goes on there. */
export function quote(text: string): void {
  if (text.trim() === '') return;
  const before = currentDraft(getState()).text.trimEnd();
  setDraft({ text: before });
  continueInComposer(`${before === '' ? '' : '\n\n'}${quoted(text)}\n\n`);
}

export interface SelectedText {
  text: string;
  /** Where it ends on the screen. */
  at: DOMRect;
}

/** What is selected, if it is inside one message of the thread. */
export function selectedText(list: HTMLElement | null): SelectedText | null {
  const selection = document.getSelection();
  if (!list || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const rowOf = (node: Node) => (node instanceof Element ? node : node.parentElement)?.closest('[data-message-id] article') ?? null;
  const row = rowOf(range.commonAncestorContainer);
  const text = selection.toString().trim();
  if (!row || !list.contains(row) || text === '') return null;
  return { text, at: range.getBoundingClientRect() };
}
