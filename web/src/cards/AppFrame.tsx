/** The app of an MCP server: its page in a sandboxed frame, below the tool whose result it shows. */

import { AppWindow, ExternalLink } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { EMBEDDING } from '../browser/embedded';
import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import * as api from '../net/api';
import { asRefusal, type Refusal } from '../net/http';
import type { Message, ToolResult } from '../protocol/generated';
import { currentDraft, getState, setDraft, useParlor } from '../state/store';
import type { ToolItem } from '../state/model';
import { Button } from '../ui/Button';
import { AppHost, FAILED, Refused } from './app_host';

const FIRST_HEIGHT = 240;
const SMALLEST = 60;
const LARGEST = 800;

/** The server whose app shows a result. */
export function appOf(item: ToolItem): string | null {
  const server = item.result?.metadata['app'];
  return typeof server === 'string' ? server : null;
}

interface Props {
  item: ToolItem;
  message: Message;
  server: string;
}

/**
 * Inside a page of another site there is none: the page of an app is fetched with a cookie, and every page around it
 * would have to be trusted with what it shows. What the tool said stands in its row as always.
 */
export function AppFrame(props: Props) {
  const { t } = useI18n();
  if (!EMBEDDING) return <Frame {...props} />;
  return (
    <p className="mt-2 flex items-center gap-2 rounded-card border border-line bg-surface px-3 py-1.5 text-small text-muted" data-app={props.server}>
      <AppWindow size={15} aria-hidden="true" className="shrink-0" />
      {t('app.not_embedded', { server: props.server })}
    </p>
  );
}

function Frame({ item, message, server }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [link, setLink] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const { language } = i18n;
  const source = api.appPagePath(message.conversation_id, message.id);
  // What the page shows does not change: a result that came is final.
  const shown = useRef({ input: item.input, result: asMcp(message) });
  const host = useRef<AppHost | null>(null);

  useEffect(() => {
    const post = (said: unknown) => frame.current?.contentWindow?.postMessage(said, '*');
    const one = new AppHost(post, () => contextOf(language, frame.current), shown.current, {
      call: (tool, input) => callTool(message, tool, input, setRefusal),
      openLink: setLink,
      suggest,
      resize: (wanted) => setHeight(Math.round(Math.min(LARGEST, Math.max(SMALLEST, wanted)))),
    });
    host.current = one;
    const hear = (event: MessageEvent) => {
      if (event.source === frame.current?.contentWindow) void one.hear(event.data);
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, [message, language]);

  useEffect(() => {
    const themes = new MutationObserver(() => host.current?.contextChanged());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => themes.disconnect();
  }, []);

  return (
    <figure className="mt-2 overflow-hidden rounded-card border border-line bg-surface" data-app={server}>
      <figcaption className="flex items-center gap-2 border-b border-line px-3 py-1.5 text-small text-muted">
        <AppWindow size={15} aria-hidden="true" className="shrink-0" />
        {t('app.from', { server })}
      </figcaption>
      <iframe
        ref={frame}
        src={source}
        title={t('app.from', { server })}
        sandbox="allow-scripts allow-forms"
        loading="lazy"
        referrerPolicy="no-referrer"
        height={height}
        className="block w-full"
      />
      {link && (
        <div className="space-y-2 border-t border-line p-3" role="group" aria-label={t('app.link')}>
          <p>{t('app.link')}</p>
          <p className="font-mono text-small break-all">{link}</p>
          <p className="flex flex-wrap gap-2">
            <a
              href={link}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex min-h-10 items-center gap-2 rounded-control border border-line px-4 font-medium"
              onClick={() => setLink(null)}
            >
              <ExternalLink size={15} aria-hidden="true" />
              {t('app.open')}
            </a>
            <Button look="quiet" onClick={() => setLink(null)}>
              {t('app.not_open')}
            </Button>
          </p>
        </div>
      )}
      {refusal && (
        <p role="alert" className="border-t border-line p-3 text-small text-critical">
          {reasonFor(i18n, refusal)}
        </p>
      )}
    </figure>
  );
}

/** The result of a tool, as MCP writes it. */
export function asMcp(message: Message): unknown {
  const result = message.data as ToolResult | undefined;
  const output = result?.output;
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '');
  return {
    content: [{ type: 'text', text }],
    isError: result?.is_error === true,
    ...(result?.structured === undefined ? {} : { structuredContent: result.structured }),
  };
}

/** A call that needs an answer of the person is a turn: its result comes in the log. */
async function callTool(
  message: Message,
  tool: string,
  input: Record<string, unknown>,
  refused: (refusal: Refusal | null) => void,
): Promise<unknown> {
  try {
    refused(null);
    const { result, turn_id: turn } = await api.callFromApp(message.conversation_id, message.id, tool, input);
    return result ?? asMcp(await resultOf(turn ?? ''));
  } catch (error) {
    if (error instanceof Refused) throw error;
    const refusal = asRefusal(error);
    refused(refusal);
    throw new Refused(FAILED, refusal.message);
  }
}

/** The result of the call of a turn, once it is in the log; none if the turn ended without one. */
function resultOf(turn: string): Promise<Message> {
  let began = false;
  const find = (): Message | 'none' | undefined => {
    const { items, turn: running } = getState().conversation;
    const item = items.find((one) => one.kind === 'tool' && one.turn === turn);
    if (item?.kind === 'tool' && item.result) return item.result;
    began ||= running === turn;
    const ended = items.some((one) => one.kind === 'ended' && one.turn === turn);
    return ended || (began && running !== turn) ? 'none' : undefined;
  };
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = find();
      if (found === 'none') reject(new Refused(FAILED, 'The call was stopped.'));
      else if (found) resolve(found);
      return found !== undefined;
    };
    if (look()) return;
    const stop = useParlor.subscribe(() => {
      if (look()) stop();
    });
  });
}

/** A text goes into an empty composer only: what a person writes is theirs. */
function suggest(text: string): boolean {
  if (text === '' || currentDraft(getState()).text.trim() !== '') return false;
  setDraft({ text });
  return true;
}

function contextOf(language: string, frame: HTMLIFrameElement | null): Record<string, unknown> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim() || undefined;
  return {
    theme: document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light',
    locale: language === 'pt' ? 'pt-BR' : 'en',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    displayMode: 'inline',
    availableDisplayModes: ['inline'],
    platform: 'web',
    userAgent: 'parlor',
    containerDimensions: { maxHeight: LARGEST, ...(frame ? { width: frame.clientWidth } : {}) },
    styles: {
      variables: {
        '--color-background-primary': colour('--surface'),
        '--color-background-secondary': colour('--raised'),
        '--color-text-primary': colour('--ink'),
        '--color-text-secondary': colour('--muted'),
        '--color-border-primary': colour('--line'),
        '--font-sans': style.fontFamily,
      },
    },
  };
}
