/** The rows of a conversation that are rendered, with gaps as tall as those that are not. */

import { useI18n } from '../i18n';
import { ThreadRows } from './parts';
import { ThreadRuntime } from './runtime';
import type { VirtualRows } from './virtual_rows';

export { fetchCards } from './RowView';

export function Rows({ drawing, running }: { drawing: VirtualRows; running: boolean }) {
  const { t } = useI18n();
  return (
    <>
      {drawing.hasEarlier && (
        <p className="pb-6 text-center">
          <button type="button" onClick={drawing.earlier} className="rounded-control px-3 py-1.5 text-small text-muted hover:bg-raised hover:text-ink">
            {t('thread.earlier')}
          </button>
        </p>
      )}
      <div aria-hidden="true" style={{ height: drawing.above }} />
      <ThreadRuntime rows={drawing.rows} running={running}>
        <ThreadRows />
      </ThreadRuntime>
      <div aria-hidden="true" style={{ height: drawing.below }} />
    </>
  );
}
