/** The preview of an approval for the arguments as they are edited, asked from the server after each pause in typing. */

import { useEffect, useState } from 'react';

import { previewPrompt } from '../../net/api';
import { asRefusal, type Refusal } from '../../net/http';
import type { Preview, UserPrompt } from '../../protocol/generated';

/** A pause in typing, in milliseconds. */
const PAUSE = 300;

export interface LivePreview {
  /** While a new one is loaded, the one before. */
  preview: Preview | undefined;
  /** Whether it is of older arguments. */
  stale: boolean;
  /** Why there is none. */
  refusal: Refusal | null;
}

interface Told {
  of: string;
  preview: Preview | undefined;
  refusal: Refusal | null;
}

/** `edited` are the changed arguments, or null if they are as they were proposed. */
export function useLivePreview(prompt: UserPrompt, edited: unknown): LivePreview {
  const [told, setTold] = useState<Told | null>(null);
  const key = edited === null ? null : JSON.stringify(edited);
  const id = prompt.messageId;
  useEffect(() => {
    if (key === null) return;
    const asked = new AbortController();
    let timer = setTimeout(() => void look(), PAUSE);
    async function look() {
      try {
        const { preview } = await previewPrompt(id, JSON.parse(key as string), asked.signal);
        setTold({ of: key as string, preview, refusal: null });
      } catch (error) {
        if (asked.signal.aborted) return;
        const refusal = asRefusal(error);
        if (refusal.code === 'rate_limited') timer = setTimeout(() => void look(), 1000 * (refusal.retryAfter ?? 1));
        else setTold({ of: key as string, preview: undefined, refusal });
      }
    }
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [id, key]);
  if (key === null) return { preview: prompt.preview, stale: false, refusal: null };
  if (told?.of === key) return { ...told, stale: false };
  return { preview: told?.preview ?? prompt.preview, stale: true, refusal: null };
}
