/** A part of a text, parsed by itself and rendered safely: no raw HTML, and only the elements below. */

import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

import { useI18n } from '../i18n';
import { ServerImage } from '../ui/ServerImage';
import { FootnoteLink, isFootnote } from './Footnote';
import { Formula } from './Formula';
import { DISPLAYED, FORMULA, remarkFormulas } from './math_syntax';
import { rehypeDirections, rehypeTake, remarkItems, remarkNotes, type Taken, textOf } from './plugins';
import { needsOf, type References } from './references';
import { TableBox } from './TableBox';
import { isOwnPicture, safeLink } from './urls';
import { Fenced } from './Fenced';

/** What the parts of one text share. */
export interface Shared {
  references: References;
  /** What the ids of its footnotes begin with. */
  prefix: string;
}

export const SharedContext = createContext<Shared>({ references: { links: new Map(), notes: new Map() }, prefix: '' });

/** More lists and quotes inside of each other are shown as they were written: parsing them takes too long. */
const DEEP = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m;

export function Piece({ text, take = 'all' }: { text: string; take?: Taken }) {
  const { references, prefix } = useContext(SharedContext);
  const { definitions, numbers } = needsOf(text, references);
  return <Parsed text={text} definitions={definitions} numbers={numbers} prefix={prefix} take={take} />;
}

interface Props {
  text: string;
  definitions: string;
  numbers: string;
  prefix: string;
  take: Taken;
}

/** Parsed once as long as nothing in it changes. */
const Parsed = memo(function Parsed({ text, definitions, numbers, prefix, take }: Props) {
  const { t } = useI18n();
  const label = t('footnotes.one');
  const remark = useMemo(() => [remarkGfm, remarkFormulas, remarkItems, [remarkNotes, { prefix, numbers, label }]] as const, [prefix, numbers, label]);
  const rehype = useMemo(() => [[rehypeTake, take], rehypeDirections] as const, [take]);
  if (DEEP.test(text)) return <Unparsed text={text} take={take} />;
  return (
    <ReactMarkdown remarkPlugins={[...remark] as never} rehypePlugins={[...rehype] as never} components={COMPONENTS} urlTransform={(url) => url} skipHtml={false}>
      {text + definitions}
    </ReactMarkdown>
  );
});

function Unparsed({ text, take }: { text: string; take: Taken }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  if (take === 'words') return text;
  return take === 'items' ? <li>{plain}</li> : plain;
}

const COMPONENTS: Components = {
  a({ href, children, 'aria-label': label }) {
    if (isFootnote(href)) return <FootnoteLink to={href} label={label}>{children}</FootnoteLink>;
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
      return <ServerImage src={source} alt={alt ?? ''} loading="lazy" className="max-h-96 rounded-card border border-line" />;
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
  code({ className, children }) {
    const classes = className?.split(' ') ?? [];
    if (!classes.includes(FORMULA)) return <code dir="auto">{children}</code>;
    return <Formula tex={typeof children === 'string' ? children : ''} display={classes.includes(DISPLAYED)} />;
  },
  pre({ children }) {
    return <Fenced {...codeIn(children)} />;
  },
  table({ dir, children, node }) {
    const head = node?.children.find((child) => child.type === 'element');
    return <TableBox dir={dir} head={head ? textOf(head) : ''}>{children}</TableBox>;
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
