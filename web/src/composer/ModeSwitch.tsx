import { useI18n } from '../i18n';
import type { Mode } from '../protocol/generated';
import { classes } from '../ui/classes';

const MODES: Mode[] = ['plan', 'act'];

/** Plan or act: a segmented control. */
export function ModeSwitch({ mode, change }: { mode: Mode; change(mode: Mode): void }) {
  const { t } = useI18n();
  return (
    <div role="group" aria-label={t('mode.label')} className="inline-flex rounded-control bg-raised p-0.5 text-small">
      {MODES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={mode === one}
          title={t(`mode.${one}_hint`)}
          onClick={() => mode !== one && change(one)}
          className={classes(
            'min-h-8 rounded-[6px] px-3 font-medium transition-colors duration-100 pointer-coarse:min-h-10',
            mode === one ? 'bg-surface text-ink shadow-[0_1px_2px_rgb(0_0_0/0.08)]' : 'text-muted hover:text-ink',
          )}
        >
          {t(`mode.${one}`)}
        </button>
      ))}
    </div>
  );
}
