/** A table, which is scrolled in its own box if it is too wide. It is called by its first row. */

import type { ReactNode } from 'react';

import { useI18n } from '../i18n';

const LONGEST_NAME = 80;

interface Props {
  dir?: string | undefined;
  /** The line of markdown, or the text, of its head. */
  head: string;
  children: ReactNode;
}

export function TableBox({ dir, head, children }: Props) {
  const { t } = useI18n();
  const cells = head.split(/[|\n]/).map((cell) => cell.replace(/[*_`~\\]/g, '').trim());
  const name = cells.filter(Boolean).join(', ').slice(0, LONGEST_NAME);
  return (
    <div className="table-box" tabIndex={0} role="region" aria-label={t('table.label', { name })}>
      <table dir={dir}>{children}</table>
    </div>
  );
}
