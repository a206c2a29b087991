import { Fragment } from 'react';

import { visiblePieces } from './visible';

/** Text of which nothing is hidden. */
export function Visible({ text }: { text: string }) {
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
