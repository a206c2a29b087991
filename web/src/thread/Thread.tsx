/** The open conversation: its rows, earlier ones on demand, and the composer. */

import { ArrowDown } from 'lucide-react';
import { createElement, useEffect, useMemo, useRef } from 'react';

import { Composer } from '../composer/Composer';
import { useI18n } from '../i18n';
import { openPrompt } from '../state/branches';
import { useParlor } from '../state/store';
import { EmptyState } from './EmptyState';
import { useRowsModule } from './load_rows';
import { Opening } from './Opening';
import { QuoteButton } from './QuoteButton';
import { type Row, rowsOf } from './rows';
import { useShownMessage } from './shown_message';
import { useStickToEnd } from './stick_to_end';
import { useVirtualRows } from './virtual_rows';

export function Thread() {
  const { t } = useI18n();
  const conversation = useParlor((state) => state.conversation);
  const outgoing = useParlor((state) => state.outgoing);
  const opening = useParlor((state) => state.opening);
  const rows = useRows();
  const view = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { atEnd, toEnd } = useStickToEnd(view, content, conversation.id, rows.length > 0);
  const list = useRef<HTMLDivElement>(null);
  const drawer = useRowsModule(rows.length > 0 || opening === 'reading');
  const drawing = useVirtualRows({ view, list }, rows, { following: atEnd, conversation: conversation.id, drawn: drawer !== null });
  useShownMessage({ view, list }, rows, drawer !== null, drawing.renderAt);
  const sent = outgoing?.clientId;
  useEffect(() => {
    if (sent) toEnd();
  }, [sent, toEnd]);

  // An open prompt has a button of its own that leads to it.
  const waits = openPrompt(conversation) !== null;
  const empty = rows.length === 0 && opening === 'no';
  return (
    <main className="relative flex min-h-0 min-w-0 grow flex-col" aria-label={t('thread.label')}>
      <div ref={view} data-view="" className="relative min-h-0 grow overflow-y-auto overscroll-contain scroll-py-6 [overflow-anchor:none]" tabIndex={0} role="group" aria-label={t('thread.messages')}>
        <div ref={content} className="mx-auto flex min-h-full w-full max-w-[46rem] flex-col px-4 pt-6 pb-8">
          {(opening !== 'no' || (!empty && !drawer)) && <Opening state={opening === 'no' ? 'reading' : opening} />}
          {empty && <EmptyState />}
          <div ref={list}>
            {opening === 'no' && !empty && drawer && createElement(drawer.Rows, { drawing, running: conversation.turn !== null })}
          </div>
        </div>
      </div>
      <QuoteButton list={list} />
      <div className="relative mx-auto w-full max-w-[46rem] shrink-0 px-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        {!atEnd && !empty && !waits && (
          <button
            type="button"
            onClick={() => toEnd(true)}
            className="absolute -top-12 left-1/2 flex min-h-9 -translate-x-1/2 animate-arrive items-center gap-2 rounded-full border border-line bg-surface px-4 text-small font-medium whitespace-nowrap shadow-float hover:bg-raised pointer-coarse:min-h-11"
          >
            <ArrowDown size={15} aria-hidden="true" />
            {conversation.turn !== null || outgoing ? t('thread.new_messages') : t('thread.to_end')}
          </button>
        )}
        <Composer />
      </div>
    </main>
  );
}

/** Rows that did not change are the same objects as before. */
function useRows(): Row[] {
  const conversation = useParlor((state) => state.conversation);
  const outgoing = useParlor((state) => state.outgoing);
  const before = useRef<Row[]>([]);
  return useMemo(() => {
    before.current = rowsOf(conversation, outgoing, before.current);
    return before.current;
  }, [conversation, outgoing]);
}
