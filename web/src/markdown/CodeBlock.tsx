/** A block of code: its language, a button that wraps long lines, and one that copies it. */

import { WrapText } from 'lucide-react';
import { Fragment, memo, useMemo, useState } from 'react';

import { useI18n } from '../i18n';
import { IconButton } from '../ui/Button';
import { classes } from '../ui/classes';
import { CopyButton } from '../ui/CopyButton';
import { partsOf } from './code_parts';
import { useColoured } from './coloured';
import type { Token } from './highlight';

interface Props {
  code: string;
  language: string;
}

export const CodeBlock = memo(function CodeBlock({ code, language }: Props) {
  const { t } = useI18n();
  const [wrapped, setWrapped] = useState(false);
  const parts = useMemo(() => partsOf(code), [code]);
  const coloured = useColoured(parts, language);
  return (
    <figure className="overflow-hidden rounded-card border border-line bg-surface">
      <figcaption className="flex items-center border-b border-line py-0.5 ps-3.5 pe-1 text-small text-muted">
        <span className="grow truncate font-mono">{language || t('code.plain')}</span>
        <IconButton label={t('code.wrap')} aria-pressed={wrapped} onClick={() => setWrapped(!wrapped)} className={classes('size-8', wrapped && 'bg-raised text-ink')}>
          <WrapText size={15} aria-hidden="true" />
        </IconButton>
        <CopyButton text={code} label={t('code.copy')} />
      </figcaption>
      <pre
        dir="ltr"
        className={classes('p-3.5 font-mono text-small', wrapped ? 'wrap-anywhere whitespace-pre-wrap' : 'overflow-x-auto')}
        tabIndex={0}
        aria-label={t('code.label', { language: language || t('code.plain') })}
      >
        <code>
          {parts.map((part, at) => {
            const lines = coloured[at];
            return <Part key={at} text={part} lines={lines?.text === part ? lines.lines : null} />;
          })}
        </code>
      </pre>
    </figure>
  );
});

/** A block of its own: so the browser lays out again only what changed. */
const Part = memo(function Part({ text, lines }: { text: string; lines: Token[][] | null }) {
  return (
    <span className="block">
      {lines ? <Lines lines={lines} /> : text}
      {lines && text.endsWith('\n') && '\n'}
    </span>
  );
});

function Lines({ lines }: { lines: Token[][] }) {
  return lines.map((line, at) => (
    <Fragment key={at}>
      {at > 0 && '\n'}
      {line.map((token, index) =>
        token.kind ? (
          <span key={index} className={`tok-${token.kind}`}>
            {token.text}
          </span>
        ) : (
          <Fragment key={index}>{token.text}</Fragment>
        ),
      )}
    </Fragment>
  ));
}
