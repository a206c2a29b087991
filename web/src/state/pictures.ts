/** Pictures on their way into a message: read, and checked by the limits that the server has (N-1). */

import type { Picture } from './store';

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

export type PictureTrouble = 'type' | 'size';

/** What speaks against a file, before it is read. */
export function pictureTrouble(file: Blob, mostBytes: number): PictureTrouble | null {
  if (!PICTURE_TYPES.includes(file.type)) return 'type';
  return file.size > mostBytes ? 'size' : null;
}

export async function readPicture(file: Blob, name: string): Promise<Picture> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name, mediaType: file.type, data: base64(bytes), url: URL.createObjectURL(file) };
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}
