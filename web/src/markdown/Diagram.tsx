/** A diagram as a picture, with its source. What cannot be drawn is shown as code, with the reason. */

import { Code, Workflow } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { type Key, useI18n } from '../i18n';
import { IconButton } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { CodeBlock } from './CodeBlock';
import { drawDiagram, type Drawing, type Outcome } from './diagrams';

const WHY: Record<'too_large' | 'too_many' | 'too_slow' | 'failed', Key> = {
  too_large: 'diagram.too_large',
  too_many: 'diagram.too_many',
  too_slow: 'diagram.too_slow',
  failed: 'diagram.failed',
};

export function Diagram({ source }: { source: string }) {
  const { t } = useI18n();
  const place = useRef<HTMLElement>(null);
  const dark = useDark();
  const near = useNear(place);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [open, setOpen] = useState(false);

  useEffect(() => {
    if (!near) return;
    let wanted = true;
    drawDiagram(source, dark)
      .then((one) => wanted && setOutcome(one))
      .catch(() => wanted && setOutcome({ reason: 'failed' }));
    return () => {
      wanted = false;
    };
  }, [near, source, dark]);

  if (outcome && 'reason' in outcome) {
    return (
      <div className="space-y-1.5">
        <p className="text-small text-muted">{t(WHY[outcome.reason])}</p>
        {outcome.details && <p className="font-mono text-small whitespace-pre-wrap text-muted" dir="ltr">{outcome.details}</p>}
        <CodeBlock code={source} language="mermaid" />
      </div>
    );
  }
  const drawing = outcome?.drawing;
  return (
    <figure ref={place} className="overflow-hidden rounded-card border border-line bg-surface" aria-busy={!drawing}>
      <figcaption className="flex items-center gap-1 border-b border-line py-0.5 ps-3.5 pe-1 text-small text-muted">
        <Workflow size={14} aria-hidden="true" className="shrink-0" />
        <span className="grow truncate" dir="auto">{drawing?.title || t('diagram.title')}</span>
        <IconButton label={t(open ? 'diagram.hide_source' : 'diagram.show_source')} aria-expanded={open} onClick={() => setOpen(!open)} className="size-8">
          <Code size={15} aria-hidden="true" />
        </IconButton>
        <CopyButton text={source} label={t('diagram.copy')} />
      </figcaption>
      {drawing ? <Picture drawing={drawing} /> : <p role="status" className="p-3.5 text-small text-muted">{t('diagram.drawing')}</p>}
      {open && (
        <pre dir="ltr" className="overflow-x-auto border-t border-line p-3.5 font-mono text-small" tabIndex={0} aria-label={t('diagram.source')}>
          <code>{source}</code>
        </pre>
      )}
    </figure>
  );
}

function Picture({ drawing }: { drawing: Drawing }) {
  const { t } = useI18n();
  const url = useUrl(drawing.svg);
  const label = drawing.title || t('diagram.of_kind', { kind: drawing.kind.replace(/-.*/, '') });
  return (
    <div className="overflow-x-auto p-3.5" tabIndex={0} role="group" aria-label={t('diagram.title')}>
      {url && <img src={url} alt={label} width={drawing.width} height={drawing.height} className="diagram" />}
    </div>
  );
}

function useUrl(svg: string): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const one = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(one);
    return () => URL.revokeObjectURL(one);
  }, [svg]);
  return url;
}

/** Whether the page is dark; follows its theme. */
function useDark(): boolean {
  const isDark = () => document.documentElement.dataset['theme'] === 'dark';
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const themes = new MutationObserver(() => setDark(isDark()));
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => themes.disconnect();
  }, []);
  return dark;
}

/** Whether a place came near the view: what nobody looks at is not drawn. */
function useNear(place: React.RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !place.current) return;
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setNear(true), { rootMargin: '400px' });
    seen.observe(place.current);
    return () => seen.disconnect();
  }, [near, place]);
  return near;
}
