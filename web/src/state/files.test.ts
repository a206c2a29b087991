// @vitest-environment jsdom

import { beforeAll, describe, expect, it } from 'vitest';

import { kindOf, readFile, USUAL_LIMITS } from './files';

const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const file = (name: string, text: string, type = '') => new File([bytes(text)], name, { type });
const PNG = '\x89PNG\r\n\x1a\n....';

beforeAll(() => {
  URL.createObjectURL = () => 'blob:x';
});

/** U-9: the bytes decide, as on the server. */
describe('what a file is', () => {
  it('is said by its bytes', () => {
    expect(kindOf(bytes(PNG))).toBe('image/png');
    expect(kindOf(bytes('\xff\xd8\xff\xe0'))).toBe('image/jpeg');
    expect(kindOf(bytes('GIF89a'))).toBe('image/gif');
    expect(kindOf(bytes('RIFF....WEBPVP8 '))).toBe('image/webp');
    expect(kindOf(bytes('%PDF-1.7\n\xe2\xe3'))).toBe('application/pdf');
    expect(kindOf(new TextEncoder().encode('Olá\tmundo\r\n'))).toBe('text/plain');
    expect(kindOf(bytes('PK\x03\x04'))).toBeNull();
    expect(kindOf(bytes('caf\xe9'))).toBeNull();
    expect(kindOf(bytes('a\0b'))).toBeNull();
  });
});

/** N-1: what the server would refuse is not sent. */
describe('attaching a file', () => {
  const small = { image_bytes: 20, files: 2, file_bytes: 30, files_bytes: 40, file_chars: 25 };
  const read = (one: File, beside: Parameters<typeof readFile>[1] = [], pictures = true) => readFile(one, beside, small, pictures);

  it('reads it', async () => {
    expect(await read(file('a.txt', 'hello'))).toEqual({ name: 'a.txt', mediaType: 'text/plain', size: 5, data: btoa('hello'), url: null });
    expect(await read(file('a.png', PNG, 'text/plain'))).toMatchObject({ mediaType: 'image/png', url: 'blob:x' });
  });

  it('says why not', async () => {
    const before = { name: 'b', mediaType: 'text/plain', size: 20, data: '', url: null };
    expect(await read(file('a.zip', 'PK\x03\x04'))).toBe('type');
    expect(await read(file('a.txt', ''))).toBe('empty');
    expect(await read(file('a.txt', 'x'.repeat(31)))).toBe('size');
    expect(await read(file('a.txt', 'x'.repeat(26)))).toBe('text');
    expect(await read(file('a.png', PNG + 'x'.repeat(10)))).toBe('size');
    expect(await read(file('a.txt', 'x'.repeat(21)), [before])).toBe('together');
    expect(await read(file('a.txt', 'x'), [before, before])).toBe('count');
    expect(await read(file('a.png', PNG), [], false)).toBe('no_pictures');
    expect(await readFile(file('a.txt', 'x'), [], USUAL_LIMITS, false)).toMatchObject({ size: 1 });
  });
});
