import { Fragment, memo, useEffect, useState } from 'react';

import { useI18n } from '../i18n';
import { CopyButton } from '../ui/CopyButton';
import { highlight, type Token } from './highlight';

interface Props {
  code: string;
  language: string;
}

/** Code is highlighted after a pause in the stream of so many milliseconds. */
const REST = 150;

export const CodeBlock = memo(function CodeBlock({ code, language }: Props) {
  const { t } = useI18n();
  const [coloured, setColoured] = useState<{ code: string; lines: Token[][] } | null>(null);

  useEffect(() => {
    if (language === '') return;
    let wanted = true;
    const timer = setTimeout(() => {
      highlight(code, language)
        .then((lines) => wanted && lines && setColoured({ code, lines }))
        .catch(() => undefined);
    }, REST);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [code, language]);

  const lines = coloured?.code === code ? coloured.lines : null;
  return (
    <figure className="overflow-hidden rounded-card border border-line bg-surface">
      <figcaption className="flex items-center justify-between border-b border-line py-0.5 ps-3.5 pe-1 text-small text-muted">
        <span className="font-mono">{language || t('code.plain')}</span>
        <CopyButton text={code} label={t('code.copy')} />
      </figcaption>
      <pre dir="ltr" className="overflow-x-auto p-3.5 font-mono text-small" tabIndex={0} aria-label={t('code.label', { language: language || t('code.plain') })}>
        <code>{lines ? <Coloured lines={lines} /> : code}</code>
      </pre>
    </figure>
  );
});

function Coloured({ lines }: { lines: Token[][] }) {
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
