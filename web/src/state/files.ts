/** Attaching files: checked against the server's limits (N-1), then read. What a file is its bytes say, as on the server. */

import type { Me } from '../net/api';
import type { AttachedFile } from './store';

/** What the dialog of the browser offers first; every file can be tried. */
export const OFFERED = 'image/jpeg,image/png,image/webp,image/gif,application/pdf,text/*,.md,.csv,.json,.toml,.yaml,.yml,.log,.sql,.rs,.ts,.tsx,.js,.py,.go,.java,.c,.h,.cpp,.sh';

export type FileTrouble = 'type' | 'empty' | 'size' | 'together' | 'count' | 'no_pictures' | 'text' | 'unreadable';

/** A file that was not attached, and why. */
export interface NotAttached {
  name: string;
  why: FileTrouble;
}

export type FileLimits = Pick<Me['limits'], 'image_bytes' | 'files' | 'file_bytes' | 'files_bytes' | 'file_chars'>;

/** As long as the server has not said its own. */
export const USUAL_LIMITS: FileLimits = { image_bytes: 5 << 20, files: 10, file_bytes: 10 << 20, files_bytes: 15 << 20, file_chars: 200_000 };

/** Reads a file, if it can be attached beside these. */
export async function readFile(file: File, beside: readonly AttachedFile[], limits: FileLimits, takesPictures: boolean): Promise<AttachedFile | FileTrouble> {
  if (beside.length >= limits.files) return 'count';
  if (file.size > Math.max(limits.file_bytes, limits.image_bytes)) return 'size';
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    // A folder, or a file that is gone.
    return 'unreadable';
  }
  if (bytes.length === 0) return 'empty';
  const mediaType = kindOf(bytes);
  if (mediaType === null) return 'type';
  const isPicture = mediaType.startsWith('image/');
  if (isPicture && !takesPictures) return 'no_pictures';
  if (bytes.length > (isPicture ? limits.image_bytes : limits.file_bytes)) return 'size';
  if (bytes.length + together(beside) > limits.files_bytes) return 'together';
  if (mediaType === 'text/plain' && bytes.length > limits.file_chars && textOf(bytes)!.length > limits.file_chars) return 'text';
  const url = isPicture ? URL.createObjectURL(new Blob([bytes as BlobPart], { type: mediaType })) : null;
  return { name: file.name, mediaType, size: bytes.length, data: base64(bytes), url };
}

export const together = (files: readonly AttachedFile[]): number => files.reduce((sum, file) => sum + file.size, 0);

/** What a file is by its bytes; null for what is not taken. */
export function kindOf(bytes: Uint8Array): string | null {
  const begins = (text: string, at = 0) => [...text].every((c, i) => bytes[at + i] === c.charCodeAt(0));
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  const text = textOf(bytes.subarray(0, 1024), true);
  if (text?.trimStart().startsWith('%PDF-') || begins('%PDF-')) return 'application/pdf';
  return textOf(bytes) === null ? null : 'text/plain';
}

/** Its text; null if it is none. */
function textOf(bytes: Uint8Array, cut = false): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    // oxlint-disable-next-line no-control-regex
    return /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks: a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}
