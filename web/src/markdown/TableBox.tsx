/** A table, which is scrolled in its own box if it is too wide. */

import type { ReactNode } from 'react';

import { useI18n } from '../i18n';

export function TableBox({ dir, children }: { dir?: string | undefined; children: ReactNode }) {
  const { t } = useI18n();
  return (
    <div className="table-box" tabIndex={0} role="region" aria-label={t('table.label')}>
      <table dir={dir}>{children}</table>
    </div>
  );
}
