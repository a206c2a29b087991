/** Attaching pictures: checked against the server's limits (N-1), then read. */

import type { Picture } from './store';

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

export type PictureTrouble = 'type' | 'size';

/** Why a file cannot be attached. */
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
  // In chunks: a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}
