import { Unlock, X } from 'lucide-react';

import { useI18n } from '../i18n';
import { readableName } from '../i18n/tools';
import { revokeAllowance } from '../state/conversation';
import { useParlor } from '../state/store';
import { classes } from '../ui/classes';

/** P-11: the tools that run without approval in this conversation, each with a button to revoke it. */
export function Allowances() {
  const { t } = useI18n();
  const allowances = useParlor((state) => state.allowances);
  if (allowances.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-small text-muted">
      <span className="flex items-center gap-1.5">
        <Unlock size={14} aria-hidden="true" />
        {t('allowances.label')}
      </span>
      {allowances.map(({ tool, suspended }) => (
        <span key={tool} className="inline-flex items-center rounded-full border border-line bg-surface ps-3">
          <span className={classes('text-ink', suspended && 'line-through')}>{readableName(tool)}</span>
          {suspended && <span className="ps-1.5" title={t('allowances.suspended_hint')}>{t('allowances.suspended')}</span>}
          <button
            type="button"
            aria-label={t('allowances.take_back', { name: readableName(tool) })}
            title={t('allowances.take_back', { name: readableName(tool) })}
            onClick={() => void revokeAllowance(tool)}
            className="grid size-7 place-items-center rounded-full hover:text-ink pointer-coarse:size-11"
          >
            <X size={14} aria-hidden="true" />
          </button>
        </span>
      ))}
    </div>
  );
}
