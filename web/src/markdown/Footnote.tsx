/** Footnotes: the links to them, and the notes at the end of a text with the way back. Inside one text. */

import { type MouseEvent, type ReactNode, useMemo } from 'react';

import { useI18n } from '../i18n';
import { showInView } from '../ui/scroll_view';
import type { Numbered } from './references';

/** The prefix of the ids of footnotes. */
export const NOTE = 'note-';

export function isFootnote(href: string | undefined): href is string {
  return href?.startsWith(`#${NOTE}`) === true;
}

interface Props {
  to: string;
  label: string | undefined;
  children: ReactNode;
}

export function FootnoteLink({ to, label, children }: Props) {
  const go = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    const target = document.getElementById(to.slice(1));
    if (target && textAround(event.currentTarget)?.contains(target)) show(target);
  };
  return (
    <a href={to} aria-label={label} onClick={go}>
      {children}
    </a>
  );
}

interface NotesProps {
  prefix: string;
  notes: ReadonlyMap<string, Numbered>;
  draw(text: string): ReactNode;
}

export function Footnotes({ prefix, notes, draw }: NotesProps) {
  const { t } = useI18n();
  const all = useMemo(() => [...notes.values()], [notes]);
  if (all.length === 0) return null;
  return (
    <section className="footnotes" aria-label={t('footnotes.label')}>
      <ol>
        {all.map(({ number, text }) => (
          <li key={number} id={`${prefix}${number}`} data-loose="">
            {draw(text)}
            <button type="button" aria-label={t('footnotes.back_from', { number })} onClick={(event) => goBack(event, `${prefix}${number}`)}>
              ↩
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** To the first place that refers to a note. */
function goBack(event: MouseEvent<HTMLElement>, id: string): void {
  const place = textAround(event.currentTarget)?.querySelector<HTMLElement>(`a[href="#${id}"]`);
  if (place) show(place);
}

function textAround(element: HTMLElement): HTMLElement | null {
  return element.closest('[data-text]');
}

function show(target: HTMLElement): void {
  if (target.tabIndex < 0) target.tabIndex = -1;
  showInView(target);
  target.focus({ preventScroll: true });
}
