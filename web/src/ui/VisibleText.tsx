import { Fragment } from 'react';

import { visiblePieces } from './hidden_characters';

/** Text with its invisible characters made visible. */
export function VisibleText({ text }: { text: string }) {
  return visiblePieces(text).map((piece, index) =>
    piece.hidden ? (
      <span key={index} className="mx-px rounded-[4px] bg-critical px-1 font-mono text-small text-on-critical">
        {piece.text}
      </span>
    ) : (
      <Fragment key={index}>{piece.text}</Fragment>
    ),
  );
}
