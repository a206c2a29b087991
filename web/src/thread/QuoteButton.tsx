import { TextQuote } from 'lucide-react';
import { type RefObject, useEffect, useState } from 'react';

import { useI18n } from '../i18n';
import { isEditable } from '../ui/focus';
import { isKey } from '../ui/keys';
import { quote, type SelectedText, selectedText } from './quote';

/** Half of the button's width, so that it stays inside the page. */
const HALF = 60;
const HEIGHT = 48;

/** A button beside what is selected in a message, which quotes it. A key does the same. */
export function QuoteButton({ list }: { list: RefObject<HTMLElement | null> }) {
  const { t } = useI18n();
  const [selected, setSelected] = useState<SelectedText | null>(null);
  useEffect(() => {
    const look = () => setSelected(selectedText(list.current));
    const hide = () => setSelected(null);
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !isKey(event, 'quote') || isEditable(document.activeElement)) return;
      const now = selectedText(list.current);
      if (!now) return;
      event.preventDefault();
      take(now.text);
    };
    // A scroll moves what is selected.
    document.addEventListener('selectionchange', look);
    document.addEventListener('scroll', hide, { capture: true, passive: true });
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('selectionchange', look);
      document.removeEventListener('scroll', hide, { capture: true });
      document.removeEventListener('keydown', onKey);
    };
  }, [list]);
  if (!selected) return null;
  const { at } = selected;
  const middle = Math.min(Math.max(at.left + at.width / 2, HALF + 8), window.innerWidth - HALF - 8);
  const above = at.top > HEIGHT + 8;
  return (
    <button
      type="button"
      // The selection must stay until the click.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => take(selected.text)}
      style={{ left: middle, top: above ? at.top - HEIGHT : at.bottom + 8 }}
      className="fixed z-30 flex min-h-9 -translate-x-1/2 items-center gap-2 rounded-full border border-line bg-surface px-4 text-small font-medium whitespace-nowrap shadow-float hover:bg-raised pointer-coarse:min-h-11"
    >
      <TextQuote size={15} aria-hidden="true" />
      {t('said.quote')}
    </button>
  );
}

function take(text: string): void {
  quote(text);
  document.getSelection()?.removeAllRanges();
}
