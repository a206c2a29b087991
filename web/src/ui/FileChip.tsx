import { FileText, FileWarning, X } from 'lucide-react';
import type { ReactNode } from 'react';

import { useI18n } from '../i18n';
import { classes } from './classes';

interface Props {
  name: string;
  mediaType: string;
  size: number | null;
  pages?: number | null;
  /** Where it can be saved from. */
  href?: string;
  /** A thumbnail in place of the icon. */
  thumbnail?: string | null;
  /** What is wrong with it. */
  trouble?: string;
  /** What is noted about it. */
  note?: ReactNode;
  remove?: () => void;
}

/** A file: its name, kind and size. */
export function FileChip({ name, mediaType, size, pages, href, thumbnail, trouble, note, remove }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const facts = [kindName(mediaType, name), pages ? i18n.count('file.pages', pages) : '', size === null ? '' : sizeText(i18n.number, size)];
  const Icon = trouble === undefined ? FileText : FileWarning;
  const body = (
    <>
      {thumbnail ? (
        <img src={thumbnail} alt="" className="size-11 shrink-0 rounded-[7px] border border-line object-cover" />
      ) : (
        <Icon size={20} aria-hidden="true" className={classes('mx-1.5 shrink-0', trouble === undefined ? 'text-muted' : 'text-critical')} />
      )}
      <span className="min-w-0 grow">
        <span dir="auto" className="block truncate text-small font-medium">{name}</span>
        {trouble === undefined ? (
          <span className="block truncate text-small text-muted tabular">{facts.filter((fact) => fact !== '').join(' · ')}</span>
        ) : (
          <span className="block text-small text-critical">{trouble}</span>
        )}
        {note}
      </span>
    </>
  );
  const shape = 'flex min-h-13 min-w-0 items-center gap-2 rounded-control px-1.5 py-1 text-start';
  return (
    <div className={classes('flex max-w-full min-w-0 items-center rounded-control border bg-surface', trouble === undefined ? 'border-line' : 'border-critical/50')}>
      {href === undefined ? (
        <div className={classes(shape, 'grow')}>{body}</div>
      ) : (
        <a href={href} download={name} aria-label={t('file.save', { name })} className={classes(shape, 'grow pe-3 hover:bg-raised')}>
          {body}
        </a>
      )}
      {remove && (
        <button
          type="button"
          onClick={remove}
          aria-label={t('file.remove', { name })}
          title={t('file.remove', { name })}
          className="me-1 grid size-9 shrink-0 place-items-center rounded-control text-muted hover:bg-raised hover:text-ink pointer-coarse:size-11"
        >
          <X size={16} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

/** PDF, PNG; of a text the end of its name. */
function kindName(mediaType: string, name: string): string {
  if (mediaType === 'application/pdf') return 'PDF';
  if (mediaType.startsWith('image/')) return mediaType.slice('image/'.length).toUpperCase();
  const end = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1];
  return (end ?? 'txt').toUpperCase();
}

function sizeText(number: (value: number) => string, bytes: number): string {
  if (bytes < 1_000) return `${number(bytes)} B`;
  if (bytes < 1_000_000) return `${number(Math.round(bytes / 1_000))} kB`;
  return `${number(Math.round(bytes / 100_000) / 10)} MB`;
}
