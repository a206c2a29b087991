/** A formula. Until its code is loaded, and if it is none, its source is shown. */

import { createElement, memo, type ReactNode, useEffect, useMemo, useState } from 'react';

import { useI18n } from '../i18n';
import { CopyButton } from '../ui/CopyButton';
import type { MathPart } from './math';

type Engine = typeof import('./math');

let loaded: Engine | null = null;

function useEngine(): Engine | null {
  const [engine, setEngine] = useState(loaded);
  useEffect(() => {
    if (engine) return;
    let wanted = true;
    import('./math')
      .then((one) => {
        loaded = one;
        if (wanted) setEngine(one);
      })
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [engine]);
  return engine;
}

export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const { t } = useI18n();
  const engine = useEngine();
  const drawn = useMemo(() => engine?.drawFormula(tex, display) ?? null, [engine, tex, display]);
  if (drawn === null) return <code dir="ltr" className={display ? 'formula-source' : undefined}>{tex}</code>;
  const formula = elementOf(drawn, 'formula');
  if (!display) return <span dir="ltr" className="formula">{formula}</span>;
  return (
    <span dir="ltr" className="formula-displayed group">
      <span className="formula-view" tabIndex={0} role="group" aria-label={t('formula.label')}>{formula}</span>
      <CopyButton text={tex} label={t('formula.copy')} />
    </span>
  );
});

function elementOf(part: MathPart, key: string | number): ReactNode {
  if (typeof part === 'string') return part;
  const { element, attributes, style, children } = part;
  return createElement(element, { key, ...attributes, ref: styled(style) }, ...children.map(elementOf));
}

/** Sets styles from code, which the policy of the page allows; a browser without MathML has none. */
function styled(style: Record<string, string>): ((element: Element | null) => void) | undefined {
  if (Object.keys(style).length === 0) return undefined;
  return (element) => {
    const target = (element as Partial<ElementCSSInlineStyle> | null)?.style;
    if (target) Object.assign(target, style);
  };
}
