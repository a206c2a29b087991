/** Ctrl+K: conversations by title and by what was said in them, and everything that the page can do, by typing. */

import { CornerDownLeft, MessageSquare, Search, TextQuote, Zap } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { type Excerpt, search, type SearchPage } from '../net/search';
import { open } from '../state/conversation';
import { useParlor } from '../state/store';
import { classes } from '../ui/classes';
import { Marked } from '../ui/Marked';
import { type Command, commandsFor, matching } from './commands';
import { showOverlay, useOverlay } from './overlays';

/** A pause in typing, in milliseconds. */
const PAUSE = 150;
const MOST_CONVERSATIONS = 8;
const MOST_MESSAGES = 8;

interface Entry extends Command {
  kind: 'conversation' | 'message' | 'command';
  /** What was found in the label. */
  marks?: Excerpt['marks'];
  /** The title of the conversation of a message. */
  beside?: string;
}

export default function Palette() {
  const { t, count } = useI18n();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const entries = useEntries(query);
  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    // The focus goes back first: what is opened may move it again.
    dialog.current?.close();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps: Record<string, number | undefined> = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + 8, PageUp: chosen - 8 };
    const next = steps[event.key];
    if (next !== undefined) setAt(Math.max(0, Math.min(entries.length - 1, next)));
    else if (event.key === 'Enter') run(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={t('palette.title')}
      onClose={() => useOverlay.getState().overlay === 'palette' && showOverlay(null)}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
      className="mx-auto mt-[10dvh] mb-auto max-h-[76dvh] w-[min(36rem,calc(100vw-1.5rem))] overflow-clip rounded-card border border-line bg-surface p-0 shadow-float backdrop:bg-shade"
    >
      <div className="flex max-h-[76dvh] flex-col">
        <div className="relative shrink-0 border-b border-line">
          <Search size={17} aria-hidden="true" className="pointer-events-none absolute top-1/2 left-4 -translate-y-1/2 text-muted" />
          <input
            role="combobox"
            aria-expanded
            aria-controls={`${id}-list`}
            aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
            aria-autocomplete="list"
            aria-label={t('palette.label')}
            placeholder={t('palette.label')}
            dir="auto"
            className="h-12 w-full bg-transparent ps-11 pe-4 text-[1rem] outline-none"
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            autoComplete="off"
            autoFocus
          />
        </div>
        <ul id={`${id}-list`} role="listbox" aria-label={t('palette.title')} className="min-h-0 overflow-y-auto p-1.5">
          {entries.map((entry, index) => (
            <Row key={entry.id} id={`${id}-${index}`} entry={entry} selected={index === chosen} run={() => run(entry)} point={() => setAt(index)} />
          ))}
        </ul>
        <p role="status" className={entries.length === 0 ? 'px-4 pb-4 text-muted' : 'sr-only'}>
          {entries.length === 0 ? t('list.nothing_found') : count('palette.found', entries.length)}
        </p>
      </div>
    </dialog>
  );
}

const ICONS = { conversation: MessageSquare, message: TextQuote, command: Zap };

interface RowProps {
  id: string;
  entry: Entry;
  selected: boolean;
  run(): void;
  point(): void;
}

function Row({ id, entry, selected, run, point }: RowProps) {
  const Icon = ICONS[entry.kind];
  return (
    <li
      id={id}
      role="option"
      aria-selected={selected}
      onClick={run}
      onPointerMove={point}
      className={classes('flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 py-1.5 pointer-coarse:min-h-11', selected && 'bg-raised')}
    >
      <Icon size={15} aria-hidden="true" className="shrink-0 text-muted" />
      <span dir="auto" className="min-w-0 grow truncate text-start"><Marked text={entry.label} marks={entry.marks ?? []} /></span>
      {entry.beside !== undefined && <span dir="auto" className="max-w-[35%] shrink-0 truncate text-small text-muted">{entry.beside}</span>}
      {selected && <CornerDownLeft size={14} aria-hidden="true" className="shrink-0 text-muted pointer-coarse:hidden" />}
    </li>
  );
}

/**
 * Commands and conversations that fit; without a query the newest conversations come first. What the server finds comes
 * last, so that nothing moves under a finger on Enter.
 */
function useEntries(query: string): Entry[] {
  const i18n = useI18n();
  const state = useParlor();
  const found = useFound(query);
  const commands = matching(commandsFor(i18n, state), query).map((one) => ({ ...one, kind: 'command' as const }));
  return query.trim() === '' ? [...found.slice(0, 5), ...commands] : [...commands, ...found];
}

interface FoundByServer {
  query: string;
  page: SearchPage;
}

/** Found by the server, after each pause in typing; the conversations of the list without a query. */
function useFound(query: string): Entry[] {
  const listed = useParlor((state) => state.list.rows);
  const [found, setFound] = useState<FoundByServer>({ query: '', page: { titles: [], messages: [] } });
  const wanted = query.trim();
  useEffect(() => {
    if (wanted === '') return;
    let current = true;
    const timer = setTimeout(() => {
      search(wanted).then(
        (page) => current && setFound({ query: wanted, page }),
        // The commands work without the server.
        () => undefined,
      );
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  if (wanted === '') {
    return listed.slice(0, MOST_CONVERSATIONS).map(({ id, title }) => ({ id: `c.${id}`, label: title, kind: 'conversation', run: () => void open(id) }));
  }
  if (found.query !== wanted) return [];
  const { titles, messages } = found.page;
  return [
    ...titles.map(({ conversation_id: id, title }): Entry => ({ id: `c.${id}`, label: title.text, marks: title.marks, kind: 'conversation', run: () => void open(id) })),
    ...messages.slice(0, MOST_MESSAGES).map(
      (hit): Entry => ({
        id: `m.${hit.message_id}`,
        label: hit.excerpt.text,
        marks: hit.excerpt.marks,
        beside: hit.title,
        kind: 'message',
        run: () => void open(hit.conversation_id, hit.message_id),
      }),
    ),
  ];
}
