/** A table of the page of administrators, scrolled in its own box if it is too wide. */

import type { ReactNode } from 'react';

import type { Key } from '../i18n';
import { useI18n } from '../i18n';

export const CELL = 'px-4 py-2 text-start align-top';

interface Props {
  label: string;
  columns: readonly Key[];
  /** Whether long lists are scrolled in the box, too. */
  limited?: boolean;
  children: ReactNode;
}

export function Table({ label, columns, limited = false, children }: Props) {
  const { t } = useI18n();
  return (
    <div
      className={`overflow-auto rounded-card border border-line bg-surface ${limited ? 'max-h-112' : ''}`}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <table className="w-full text-small [overflow-wrap:break-word]">
        <thead className="border-b border-line text-muted">
          <tr>
            {columns.map((key) => (
              <th key={key} scope="col" className={`${CELL} font-medium`}>{t(key)}</th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}
