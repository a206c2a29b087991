/**
 * Images of the server. Inside a page of another site there are no cookies, so they are fetched like everything else
 * and shown from memory.
 */

import { type ImgHTMLAttributes, type ReactNode, useEffect, useState } from 'react';

import { EMBEDDING } from '../browser/embedded';
import { ask } from '../net/http';

export function ServerImage({ src, alt, ...rest }: ImgHTMLAttributes<HTMLImageElement> & { src: string; alt: string }) {
  const shown = useFetched(src);
  return shown === null ? null : <img src={shown} alt={alt} {...rest} />;
}

/** To the whole picture, where a page of its own can show it. */
export function PictureLink({ href, children }: { href: string; children: ReactNode }) {
  if (EMBEDDING) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="block min-w-0 rounded-card">
      {children}
    </a>
  );
}

/** An address that the browser can show by itself; null until there is one. */
function useFetched(src: string): string | null {
  const needs = EMBEDDING !== null && src.startsWith('/api/');
  const [fetched, setFetched] = useState<string | null>(null);
  useEffect(() => {
    if (!needs) return;
    const wanted = new AbortController();
    let made: string | null = null;
    ask(src, { signal: wanted.signal })
      .then((response) => response.blob())
      .then((blob) => {
        if (wanted.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setFetched(made);
      })
      .catch(() => undefined);
    return () => {
      wanted.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [src, needs]);
  return needs ? fetched : src;
}
