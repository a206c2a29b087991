/**
 * Markdown, rendered safely: no raw HTML, links without referrer in a new tab, images
 * only of our own server. Footnotes stay in the page. While it streams, only the last
 * block is rendered again.
 */

import { memo, type ReactNode, useId, useMemo } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';

import { useI18n } from '../i18n';
import { blocksOf } from './blocks';
import { CodeBlock } from './CodeBlock';
import { FootnoteLink, isFootnote, NOTE } from './Footnote';
import { repairIncomplete } from './repair';
import { isOwnPicture, safeLink } from './urls';

interface Props {
  text: string;
  streaming?: boolean;
}

export const Markdown = memo(function Markdown({ text, streaming = false }: Props) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const notes = useFootnoteOptions();
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => {
        const last = streaming && index === blocks.length - 1;
        return <Block key={index} text={last ? repairIncomplete(block) : block} notes={notes} />;
      })}
    </div>
  );
});

type Notes = Options['remarkRehypeOptions'];

/** The ids and labels of footnotes: unique for each text, in the reader's language. */
function useFootnoteOptions(): Notes {
  const { t } = useI18n();
  const id = useId();
  return useMemo(
    () => ({
      clobberPrefix: `${NOTE}${id.replace(/\W/g, '')}-`,
      footnoteLabel: t('footnotes.label'),
      footnoteBackLabel: t('footnotes.back'),
    }),
    [id, t],
  );
}

const Block = memo(function Block({ text, notes }: { text: string; notes: Notes }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} remarkRehypeOptions={notes} components={COMPONENTS} urlTransform={(url) => url} skipHtml={false}>
      {text}
    </ReactMarkdown>
  );
});

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  a({ href, id, children, 'aria-label': label }) {
    if (isFootnote(href)) return <FootnoteLink to={href} id={id} label={label}>{children}</FootnoteLink>;
    const link = safeLink(href);
    if (link === null) return <span>{children}</span>;
    return (
      <a href={link} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
      </a>
    );
  },
  img({ src, alt }) {
    const source = typeof src === 'string' ? src : '';
    if (isOwnPicture(source)) {
      return <img src={source} alt={alt ?? ''} loading="lazy" className="max-h-96 rounded-card border border-line" />;
    }
    // Loading an image from elsewhere would tell that server who reads, so it is a link.
    const link = safeLink(source);
    if (link === null) return <span>{alt}</span>;
    return (
      <a href={link} target="_blank" rel="noopener noreferrer nofollow ugc">
        {alt || link}
      </a>
    );
  },
  // Without its id: the heading of the footnotes has the same one in every text.
  h2({ className, children }) {
    return <h2 className={className}>{children}</h2>;
  },
  pre({ children }) {
    return <CodeBlock {...codeIn(children)} />;
  },
  table({ children }) {
    return (
      <div className="overflow-x-auto" tabIndex={0} role="group">
        <table>{children}</table>
      </div>
    );
  },
  input({ checked }) {
    return <input type="checkbox" checked={checked === true} readOnly tabIndex={-1} aria-hidden="true" className="me-2 accent-(--accent)" />;
  },
};

/** The code and the language of a fenced block. */
function codeIn(children: ReactNode): { code: string; language: string } {
  const child = Array.isArray(children) ? children[0] : children;
  const props = (child as { props?: { className?: string; children?: ReactNode } } | undefined)?.props;
  const language = /language-(\S+)/.exec(props?.className ?? '')?.[1] ?? '';
  return { code: typeof props?.children === 'string' ? props.children.replace(/\n$/, '') : '', language };
}
