import { useI18n, type Key } from '../i18n';
import type { FileTrouble, NotAttached } from '../state/files';
import type { AttachedFile } from '../state/store';
import { FileChip } from '../ui/FileChip';

export const TROUBLES: Record<FileTrouble, Key> = {
  type: 'file.trouble.type',
  empty: 'file.trouble.empty',
  size: 'file.trouble.size',
  together: 'file.trouble.together',
  count: 'file.trouble.count',
  no_pictures: 'file.trouble.no_pictures',
  text: 'file.trouble.text',
  unreadable: 'file.trouble.unreadable',
};

interface Props {
  files: readonly AttachedFile[];
  refused: readonly NotAttached[];
  remove(at: number): void;
  dismiss(at: number): void;
}

/** The files of a draft, and those that could not be attached, each with the reason beside it. */
export function Attachments({ files, refused, remove, dismiss }: Props) {
  const { t } = useI18n();
  if (files.length + refused.length === 0) return null;
  return (
    <ul aria-label={t('composer.attached')} className="grid max-h-[40dvh] grid-cols-1 gap-2 overflow-y-auto px-3 pt-3 sm:grid-cols-2">
      {files.map((file, at) => (
        <li key={`${at} ${file.name}`} className="min-w-0">
          <FileChip name={file.name} mediaType={file.mediaType} size={file.size} thumbnail={file.url} remove={() => remove(at)} />
        </li>
      ))}
      {refused.map(({ name, why }, at) => (
        <li key={`refused ${at} ${name}`} className="min-w-0">
          <div role="alert">
            <FileChip name={name} mediaType="" size={null} trouble={t(TROUBLES[why])} remove={() => dismiss(at)} />
          </div>
        </li>
      ))}
    </ul>
  );
}
