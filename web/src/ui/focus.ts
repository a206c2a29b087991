/** Who has the focus. */

const EDITABLE = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]';

/** Whether an element takes text or a choice, so that keys and drops belong to it. */
export function isEditable(element: Element | null): boolean {
  return element?.matches(EDITABLE) === true;
}
