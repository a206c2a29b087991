/** Tool runs in one line: the activity, then the result; it unfolds to the output. */

import { Ban, Check, CircleAlert, LoaderCircle, TriangleAlert } from 'lucide-react';

import { useI18n } from '../i18n';
import type { ToolItem } from '../state/model';
import { setState, useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { Disclosure } from '../ui/Disclosure';
import { PictureLink, ServerImage } from '../ui/ServerImage';
import { VisibleText } from '../ui/VisibleText';
import { AppFrame, appOf } from './AppFrame';
import { isSuspicious, outputText, picturesOf, recipesIn, toolLine } from './tool_summary';

export function ToolsRow({ tools, active }: { tools: readonly ToolItem[]; active: boolean }) {
  const i18n = useI18n();
  const busy = active ? tools.findLast((tool) => tool.status === 'running' || tool.status === 'waiting') : undefined;
  const only = tools.length === 1 ? tools[0] : undefined;
  if (busy && only) {
    return (
      <div data-tool={busy.status}>
        <p className="flex items-center gap-2 text-muted">
          <StatusIcon item={busy} active />
          <span>{toolLine(i18n, busy, active)}</span>
        </p>
        <Progress item={busy} />
      </div>
    );
  }
  const lead = busy ?? only ?? tools.at(-1);
  if (!lead) return null;
  const line = toolLine(i18n, lead, active);
  return (
    <div data-tool={lead.status}>
      {tools.some(isSuspicious) && (
        <p className="mb-1 flex items-start gap-2 text-small font-medium text-warning">
          <TriangleAlert size={15} aria-hidden="true" className="mt-0.5 shrink-0" />
          {i18n.t('tool.suspicious')}
        </p>
      )}
      <Disclosure
        summary={
          <span className="flex min-w-0 items-center gap-2 text-body">
            <StatusIcon item={lead} active={active} />
            <span className="min-w-0">
              <VisibleText text={line} />
            </span>
            {!only && <span className="shrink-0 text-small text-muted">{i18n.count('tools.steps', tools.length)}</span>}
          </span>
        }
      >
        <div className="mt-1.5 space-y-3 ps-5">
          {tools.map((tool) => (
            <ToolDetails key={tool.key} item={tool} alone={only !== undefined} active={active} />
          ))}
        </div>
      </Disclosure>
      {busy && <Progress item={busy} />}
      <Pictures tools={tools} />
      <Apps tools={tools} />
    </div>
  );
}

/** How far a tool is, if its server says so: a bar where the whole is known, and its i18n. */
function Progress({ item }: { item: ToolItem }) {
  const i18n = useI18n();
  const { progress } = item;
  if (!progress || item.status !== 'running') return null;
  const { done, total, message } = progress;
  const amount = total === undefined ? i18n.number(done) : i18n.t('tool.progress', { done: i18n.number(done), total: i18n.number(total) });
  return (
    <div className="mt-1.5 space-y-1 ps-6 text-small text-muted" data-progress>
      {total !== undefined && (
        <progress
          className="block h-1 w-full max-w-sm appearance-none overflow-hidden rounded-full [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent"
          aria-label={i18n.t('tool.progress.label')}
          value={Math.min(done, total)}
          max={total}
        />
      )}
      <p className="flex gap-2">
        <span className="shrink-0 tabular-nums">{amount}</span>
        {message !== undefined && (
          <span className="min-w-0 break-words">
            <VisibleText text={message} />
          </span>
        )}
      </p>
    </div>
  );
}

/** Images are shown without unfolding. */
function Pictures({ tools }: { tools: readonly ToolItem[] }) {
  const { t } = useI18n();
  const pictures = tools.flatMap((item) => picturesOf(item).map((path) => ({ path, tool: item.tool })));
  if (pictures.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap gap-2 ps-5">
      {pictures.map(({ path, tool }) => (
        <PictureLink key={path} href={path}>
          <ServerImage src={path} alt={t('tool.picture', { name: tool })} className="max-h-56 max-w-full rounded-card border border-line" />
        </PictureLink>
      ))}
    </div>
  );
}

/** Apps are shown without unfolding. */
function Apps({ tools }: { tools: readonly ToolItem[] }) {
  return tools.map((item) => {
    const server = appOf(item);
    return server !== null && item.result && <AppFrame key={item.key} item={item} message={item.result} server={server} />;
  });
}

function ToolDetails({ item, alone, active }: { item: ToolItem; alone: boolean; active: boolean }) {
  const i18n = useI18n();
  const text = outputText(item);
  return (
    <div className="text-small">
      {!alone && (
        <p className="flex items-center gap-2 text-body">
          <StatusIcon item={item} active={active} />
          <VisibleText text={toolLine(i18n, item, active)} />
        </p>
      )}
      <p className="font-mono text-muted">{item.tool}</p>
      <Named item={item} />
      {text !== '' && (
        <pre
          tabIndex={0}
          aria-label={i18n.t('tool.output')}
          className="mt-1 max-h-72 overflow-auto rounded-control border border-line bg-surface p-3 font-mono whitespace-pre-wrap"
        >
          <VisibleText text={text} />
        </pre>
      )}
    </div>
  );
}

/** The recipes of a result by their names, each of which opens the panel. */
function Named({ item }: { item: ToolItem }) {
  const { t } = useI18n();
  const recipes = recipesIn(item);
  const readOnly = useParlor((state) => state.readOnly);
  if (readOnly || recipes.length === 0) return null;
  return (
    <ul className="mt-1 flex max-h-60 flex-wrap gap-1.5 overflow-y-auto" aria-label={t('recipe.found')}>
      {recipes.map(({ id, title }) => (
        <li key={id} className="max-w-full">
          <Button className="max-w-full text-start" onClick={() => setState({ panel: { kind: 'recipe', id } })}>
            <span className="truncate">
              <VisibleText text={title} />
            </span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function StatusIcon({ item, active }: { item: ToolItem; active: boolean }) {
  const common = { size: 15, 'aria-hidden': true } as const;
  switch (item.status) {
    case 'running':
    case 'waiting':
      if (active) return <LoaderCircle {...common} className="shrink-0 animate-spin text-muted" />;
      return <CircleAlert {...common} className="shrink-0 text-warning" />;
    case 'error':
      return <CircleAlert {...common} className="shrink-0 text-critical" />;
    case 'denied':
      return <Ban {...common} className="shrink-0 text-muted" />;
    default:
      return <Check {...common} className="shrink-0 text-success" />;
  }
}
