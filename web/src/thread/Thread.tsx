/** The conversation: rows that follow what comes, earlier ones on demand, nothing while there is nothing. */

import { ArrowDown } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';

import { EmptyState } from '../app/EmptyState';
import { useParlor } from '../state/store';
import { useWords } from '../words';
import { Composer } from './Composer';
import { useFollow, useWindow } from './follow';
import { Opening } from './Opening';
import { ThreadRows } from './parts';
import { type Row, rowsOf } from './rows';
import { ThreadRuntime } from './runtime';

export function Thread() {
  const { t } = useWords();
  const conversation = useParlor((state) => state.conversation);
  const outgoing = useParlor((state) => state.outgoing);
  const opening = useParlor((state) => state.opening);
  const rows = useRows();
  const view = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { following, toEnd } = useFollow(view, content, conversation.id);
  const { from, more } = useWindow(view, rows.length, conversation.id);
  const visible = useMemo(() => rows.slice(from), [rows, from]);
  const sent = outgoing?.clientId;
  useEffect(() => {
    if (sent) toEnd();
  }, [sent, toEnd]);

  const empty = rows.length === 0 && opening === 'no';
  return (
    <main className="relative flex min-h-0 min-w-0 grow flex-col" aria-label={t('thread.label')}>
      <div ref={view} data-view="" className="min-h-0 grow overflow-y-auto overscroll-contain [overflow-anchor:none]" tabIndex={0} role="group" aria-label={t('thread.messages')}>
        <div ref={content} className="mx-auto flex min-h-full w-full max-w-[46rem] flex-col px-4 pt-6 pb-8">
          {opening !== 'no' && <Opening state={opening} />}
          {empty && <EmptyState />}
          {from > 0 && <Earlier more={more} root={view} />}
          {opening === 'no' && !empty && (
            <ThreadRuntime rows={visible} running={conversation.turn !== null}>
              <ThreadRows />
            </ThreadRuntime>
          )}
        </div>
      </div>
      <div className="relative mx-auto w-full max-w-[46rem] shrink-0 px-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        {!following && !empty && (
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

function Earlier({ more, root }: { more(): void; root: React.RefObject<HTMLElement | null> }) {
  const { t } = useWords();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!button.current) return;
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && more(), {
      root: root.current,
      rootMargin: '600px 0px 0px 0px',
    });
    seen.observe(button.current);
    return () => seen.disconnect();
  });
  return (
    <button
      ref={button}
      type="button"
      onClick={more}
      className="mx-auto mb-6 rounded-control px-3 py-1.5 text-small text-muted hover:bg-raised hover:text-ink"
    >
      {t('thread.earlier')}
    </button>
  );
}
