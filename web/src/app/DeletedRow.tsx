import { RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import type { ConversationSummary } from '../net/api';
import { remove, restore } from '../state/list';
import { announce } from '../ui/announce';
import { IconButton } from '../ui/Button';
import { AskToDelete } from './AskToDelete';

/** A conversation that was deleted: it can be restored, or deleted for good. */
export function DeletedRow({ row }: { row: ConversationSummary }) {
  const i18n = useI18n();
  const { t } = i18n;
  const [asking, setAsking] = useState(false);
  const finish = (refusal: Parameters<typeof reasonFor>[1] | null) => {
    if (refusal) announce(reasonFor(i18n, refusal), 'urgent');
    else announce(t('list.restored', { title: row.title }));
  };
  if (asking) {
    return (
      <AskToDelete
        done={(yes) => {
          if (yes) void remove(row.id, true).then((refusal) => refusal && announce(reasonFor(i18n, refusal), 'urgent'));
          setAsking(false);
        }}
      />
    );
  }
  return (
    <li className="flex items-center gap-0.5 rounded-control ps-2.5 hover:bg-raised">
      <span dir="auto" className="min-w-0 grow truncate py-1.5 text-start">{row.title}</span>
      <IconButton label={t('list.restore_of', { title: row.title })} className="size-8" onClick={() => void restore(row.id).then(finish)}>
        <RotateCcw size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label={t('list.delete_for_good_of', { title: row.title })} className="size-8" onClick={() => setAsking(true)}>
        <Trash2 size={15} aria-hidden="true" />
      </IconButton>
    </li>
  );
}
