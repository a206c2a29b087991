/** Recorded streams: one event a line, as the server writes them. The server's tests write some of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { decodeEvent, type LogEvent } from '../net/decode';

const DIRECTORY = join(import.meta.dirname, '../../tests/recordings');

export const RECORDINGS = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace('.jsonl', ''));

export function recording(name: string): LogEvent[] {
  const lines = readFileSync(join(DIRECTORY, `${name}.jsonl`), 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line) => {
    const { id, event, data } = JSON.parse(line) as { id: string | null; event: string; data: unknown };
    const decoded = decodeEvent({ id, name: event, data: JSON.stringify(data) });
    return decoded ? [decoded] : [];
  });
}
