/**
 * Markdown, rendered safely: no raw HTML, links without referrer in a new tab, images
 * only of our own server. Footnotes stay in the page. While it streams, only the last
 * part is parsed again.
 */

import { Fragment, memo, useId, useMemo } from 'react';

import { type Block, blocksOf, DEEPEST, groupsOf, sentencesOf } from './blocks';
import { Fenced } from './Fenced';
import { Footnotes, NOTE } from './Footnote';
import { Piece, type Shared, SharedContext } from './Piece';
import { directionOf } from './plugins';
import { referencesOf } from './references';
import { repairIncomplete } from './repair';
import { TableBox } from './TableBox';

interface Props {
  text: string;
  streaming?: boolean;
}

export const Markdown = memo(function Markdown({ text, streaming = false }: Props) {
  const read = useMemo(() => blocksOf(text, streaming), [text, streaming]);
  const prefix = `${NOTE}${useId().replace(/\W/g, '')}-`;
  const references = useMemo(() => referencesOf(read), [read]);
  const shared: Shared = useMemo(() => ({ references, prefix }), [references, prefix]);
  return (
    <SharedContext value={shared}>
      <div className="markdown" dir="auto" data-text="">
        <BlockList blocks={read.blocks} streaming={streaming} depth={0} />
        <Footnotes prefix={prefix} notes={references.notes} draw={(note) => <Text text={note} />} />
      </div>
    </SharedContext>
  );
});

/** A text inside of the text. */
function Text({ text, streaming = false, depth = 0 }: Props & { depth?: number }) {
  const { blocks } = useMemo(() => blocksOf(text, streaming), [text, streaming]);
  return <BlockList blocks={blocks} streaming={streaming} depth={depth} />;
}

interface ListProps {
  blocks: readonly Block[];
  streaming: boolean;
  depth: number;
}

function BlockList({ blocks, streaming, depth }: ListProps) {
  return blocks.map((block, at) => <OneBlock key={at} block={block} streaming={streaming && at === blocks.length - 1} depth={depth} />);
}

function OneBlock({ block, streaming, depth }: { block: Block; streaming: boolean; depth: number }) {
  switch (block.kind) {
    case 'text':
      return <Paragraph text={block.text} streaming={streaming} />;
    case 'code':
      return <Fenced code={block.code} language={block.language} open={streaming && !block.closed} />;
    case 'quote':
      if (depth >= DEEPEST) return <Piece text={block.text.replace(/^/gm, '> ')} />;
      return (
        <blockquote dir={directionOf(block.text)}>
          <Text text={block.text} streaming={streaming} depth={depth + 1} />
        </blockquote>
      );
    case 'list':
      return <List block={block} streaming={streaming} />;
    case 'table':
      return (
        <TableBox dir={directionOf(block.head)} head={block.head.split('\n')[0] ?? ''}>
          <Piece text={block.head} take="head" />
          {block.rows.length > 0 && (
            <tbody>
              {groupsOf(block.rows).map((rows, at) => (
                <Piece key={at} text={block.head.trimEnd() + '\n' + rows} take="rows" />
              ))}
            </tbody>
          )}
        </TableBox>
      );
  }
}

function Paragraph({ text, streaming }: { text: string; streaming: boolean }) {
  const parts = sentencesOf(text);
  const last = parts.length - 1;
  const repaired = (part: string, at: number) => (streaming && at === last ? repairIncomplete(part) : part);
  if (last === 0) return <Piece text={repaired(text, 0)} />;
  return (
    <p dir="auto">
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && ' '}
          <Piece text={repaired(part, at)} take="words" />
        </Fragment>
      ))}
    </p>
  );
}

function List({ block, streaming }: { block: Extract<Block, { kind: 'list' }>; streaming: boolean }) {
  const groups = groupsOf(block.items);
  const items = groups.map((group, at) => (
    <Fragment key={at}>
      <Piece text={streaming && at === groups.length - 1 ? repairIncomplete(group) : group} take="items" />
    </Fragment>
  ));
  const dir = directionOf(block.items[0] ?? '');
  const loose = block.loose ? '' : undefined;
  if (block.ordered) return <ol start={block.start} dir={dir} data-loose={loose}>{items}</ol>;
  return <ul dir={dir} data-loose={loose}>{items}</ul>;
}
