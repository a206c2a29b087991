import { Search } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { searchFor, useSearch } from '../state/search';
import { onEscape } from '../ui/escape';

/** A pause in typing, in milliseconds. */
const TYPING = 200;

/** What to search for. Arrow down leads to what was found. */
export function SearchField({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const { t } = useI18n();
  const [query, setQuery] = useState(() => useSearch.getState().query);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const timer = setTimeout(() => void searchFor(query), query === '' ? 0 : TYPING);
    return () => clearTimeout(timer);
  }, [query]);
  return (
    <div className="relative">
      <Search size={15} aria-hidden="true" className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        ref={field}
        type="search"
        dir="auto"
        className="field border-transparent bg-raised py-1.5 ps-9"
        placeholder={t('list.search')}
        aria-label={t('list.search')}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            field.current?.closest('nav')?.querySelector<HTMLElement>('[data-found] button')?.focus();
          } else if (query !== '') onEscape(() => setQuery(''))(event);
        }}
      />
    </div>
  );
}
