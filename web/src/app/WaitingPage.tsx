/** All prompts that wait, of every conversation: who asks, since when, where; answered in place. */

import { useEffect, useRef, useState } from 'react';

import { ClosedCard, PromptCard } from '../cards/prompt_cards';
import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import * as api from '../net/api';
import { serverNow } from '../net/clock';
import type { Refusal } from '../net/http';
import type { PromptClosed } from '../protocol/generated';
import { open } from '../state/conversation';
import { followWaiting, refreshWaiting } from '../state/list';
import { closePage } from '../state/pages';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { useNow } from '../ui/now';
import { PageFrame } from '../ui/PageFrame';
import { VisibleText } from '../ui/VisibleText';

const AGAIN = 5_000;

export default function WaitingPage() {
  const i18n = useI18n();
  const { t, count } = i18n;
  const waiting = useParlor((state) => state.waiting);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [read, setRead] = useState(false);
  const rows = useRows();
  useEffect(() => {
    void refreshWaiting().then((refused) => {
      setRefusal(refused);
      setRead(true);
    });
    return followWaiting(AGAIN);
  }, []);
  const nothing = read && refusal === null && waiting.length === 0;
  return (
    <PageFrame
      title={t('waiting.title')}
      note={waiting.length > 0 ? count('waiting.count', waiting.length) : nothing ? t('waiting.nothing') : null}
      closeLabel={t('page.close')}
      close={closePage}
    >
      {refusal && <p role="alert" className="font-medium text-critical">{reasonFor(i18n, refusal)}</p>}
      <ul className="space-y-6">
        {rows.map(({ prompt, closed }) => (
          <li key={prompt.messageId} className="space-y-2">
            <Place prompt={prompt} />
            {closed ? <ClosedCard prompt={prompt} closed={closed} /> : <PromptCard item={{ kind: 'prompt', key: prompt.messageId, turn: null, prompt, app: null, message: null, closed: null }} />}
          </li>
        ))}
      </ul>
    </PageFrame>
  );
}

interface WaitingRow {
  prompt: api.OpenPrompt;
  /** How it ended while the page was open. */
  closed: PromptClosed | null;
}

/** What waits, longest first. What was answered here or elsewhere stays, folded, until the page is left. */
function useRows(): WaitingRow[] {
  const waiting = useParlor((state) => state.waiting);
  const [ends, setEnds] = useState<ReadonlyMap<string, PromptClosed>>(new Map());
  const seen = useRef(new Map<string, api.OpenPrompt>());
  for (const prompt of waiting) seen.current.set(prompt.messageId, prompt);
  useEffect(() => {
    const gone = [...seen.current.keys()].filter((id) => !ends.has(id) && !waiting.some((one) => one.messageId === id));
    for (const id of gone) {
      api.promptEnd(id).then(
        (closed) => closed && setEnds((before) => new Map(before).set(id, closed)),
        // Its conversation was deleted: nothing is left to show.
        () => seen.current.delete(id),
      );
    }
  }, [waiting, ends]);
  const rows = [...seen.current.values()].map((prompt) => ({ prompt, closed: ends.get(prompt.messageId) ?? null }));
  return rows.toSorted((a, b) => (a.prompt.opened_at ?? 0) - (b.prompt.opened_at ?? 0));
}

/** Where it is asked, by whom, and since when. */
function Place({ prompt }: { prompt: api.OpenPrompt }) {
  const { t, ago } = useI18n();
  const now = serverNow(useNow(30_000));
  const place = usePlace(prompt.unseen ? null : prompt.conversation_id);
  const project = useParlor((state) => state.me?.projects.find((one) => one.id === place?.project)?.name ?? null);
  const server = prompt.origin?.startsWith('mcp:') ? prompt.origin.slice('mcp:'.length) : null;
  const parts = [
    project,
    server === null ? null : t('prompt.from_server', { server }),
    prompt.opened_at === undefined ? null : t('waiting.since', { when: ago(prompt.opened_at, now) }),
  ];
  return (
    <div className="flex items-center gap-3">
      <div className="min-w-0 grow">
        <h2 dir="auto" className="truncate font-medium"><VisibleText text={prompt.unseen ? t('approvers.unseen') : (place?.title ?? '…')} /></h2>
        <p className="text-small text-muted">{parts.filter((part) => part !== null).join(' · ')}</p>
      </div>
      {!prompt.unseen && (
        <Button aria-label={t('waiting.open', { title: place?.title ?? '' })} onClick={() => void open(prompt.conversation_id)}>
          {t('left.open')}
        </Button>
      )}
    </div>
  );
}

/** Title and project of a conversation, from the list; one that is not in it is read. */
function usePlace(id: string | null): { title: string; project: string } | null {
  const listed = useParlor((state) => state.list.rows.find((row) => row.id === id) ?? null);
  const ready = useParlor((state) => state.list.state !== 'loading');
  const [read, setRead] = useState<{ title: string; project: string } | null>(null);
  const missing = ready && listed === null && id !== null;
  useEffect(() => {
    if (!missing || id === null) return;
    api.readConversation(id).then(({ title, project }) => setRead({ title, project }), () => undefined);
  }, [id, missing]);
  return listed ?? read;
}
