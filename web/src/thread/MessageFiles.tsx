import { MailWarning } from 'lucide-react';

import { EMBEDDING } from '../browser/embedded';
import { useI18n } from '../i18n';
import { filePath, imagePath } from '../net/api';
import { isFields } from '../net/decode';
import type { FileReference, Message } from '../protocol/generated';
import { type AttachedFile, useParlor } from '../state/store';
import { classes } from '../ui/classes';
import { FileChip } from '../ui/FileChip';
import { PictureLink, ServerImage } from '../ui/ServerImage';

/** A file of a message: as the server names it, or as it was just attached. */
export interface ShownFile {
  key: string;
  name: string;
  mediaType: string;
  size: number;
  pages: number | null;
  suspicious: boolean;
  noText: boolean;
  /** Where a picture is shown from, and any file can be saved from; none while it is being sent. */
  path: string | null;
}

/** The files of a message, the picture of an older one among them. */
export function filesOf({ metadata }: Message): ShownFile[] {
  const { image, files } = metadata;
  const shown: ShownFile[] = [];
  if (isFields(image) && typeof image['id'] === 'string') {
    shown.push({ ...PLAIN, key: image['id'], mediaType: String(image['media_type']), path: imagePath(image['id']) });
  }
  for (const file of Array.isArray(files) ? files : []) {
    if (!isFields(file) || typeof file['id'] !== 'string' || typeof file['media_type'] !== 'string') continue;
    const { id, name, media_type: mediaType, size, pages, suspicious, no_text: noText } = file as unknown as FileReference;
    const path = mediaType.startsWith('image/') ? imagePath(id) : filePath(id);
    shown.push({ key: id, name, mediaType, size, pages: pages ?? null, suspicious: suspicious !== undefined, noText: noText === true, path });
  }
  return shown;
}

/** Files on their way. */
export function filesOnTheWay(files: readonly AttachedFile[]): ShownFile[] {
  return files.map((file, at) => ({ ...PLAIN, key: `${at} ${file.name}`, name: file.name, mediaType: file.mediaType, size: file.size, path: file.url }));
}

const PLAIN = { name: '', size: 0, pages: null, suspicious: false, noText: false };

/** Pictures as a grid, everything else as chips. */
export function MessageFiles({ files }: { files: readonly ShownFile[] }) {
  const { t } = useI18n();
  // A link shows which files there are, and of these only pictures; a page of another site has no cookie to save one.
  const readOnly = useParlor((state) => state.readOnly);
  const pictures = files.filter((file) => file.mediaType.startsWith('image/'));
  const others = files.filter((file) => !file.mediaType.startsWith('image/'));
  const alone = pictures.length === 1;
  return (
    <>
      {pictures.length > 0 && (
        <div className={classes('max-w-full', alone ? 'flex justify-end' : 'grid w-full max-w-md grid-cols-2 gap-2 sm:grid-cols-3')}>
          {pictures.map(({ key, name, path }) => (
            <PictureLink key={key} href={path ?? ''}>
              <ServerImage
                src={path ?? ''}
                alt={name === '' ? t('said.picture') : t('said.picture_named', { name })}
                className={classes('rounded-card border border-line', alone ? 'max-h-72 max-w-full' : 'aspect-square w-full object-cover')}
              />
            </PictureLink>
          ))}
        </div>
      )}
      {others.length > 0 && (
        <ul aria-label={t('said.files')} className="flex max-w-full flex-col items-end gap-2">
          {others.map((file) => (
            <li key={file.key} className="max-w-full min-w-0 sm:max-w-sm">
              <FileChip
                name={file.name}
                mediaType={file.mediaType}
                size={file.size}
                pages={file.pages}
                {...(file.path === null || readOnly || EMBEDDING ? {} : { href: file.path })}
                note={<Note suspicious={file.suspicious} noText={file.noText} />}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What the guardrail found in a file, and what could not be read of it. */
function Note({ suspicious, noText }: { suspicious: boolean; noText: boolean }) {
  const { t } = useI18n();
  return (
    <>
      {suspicious && (
        <span className="flex items-start gap-1.5 text-small text-warning">
          <MailWarning size={14} aria-hidden="true" className="mt-[3px] shrink-0" />
          {t('file.suspicious')}
        </span>
      )}
      {noText && <span className="block text-small text-muted">{t('file.no_text')}</span>}
    </>
  );
}
