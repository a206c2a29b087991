/**
 * Recorded streams, one event a line. The server's end-to-end tests write them
 * (`crates/server/tests/e2e/recordings`); what no server sends is in `by_hand`.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { decodeEvent, type LogEvent } from '../net/decode';

const DIRECTORY = join(import.meta.dirname, '../../tests/recordings');
const BY_HAND = join(DIRECTORY, 'by_hand');

export const RECORDINGS = [DIRECTORY, BY_HAND].flatMap((directory) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => basename(name, '.jsonl')),
);

export function recording(name: string): LogEvent[] {
  const file = [DIRECTORY, BY_HAND].map((directory) => join(directory, `${name}.jsonl`)).find(existsSync);
  if (file === undefined) throw new Error(`there is no recording called ${name}`);
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line) => {
    const { id, event, data } = JSON.parse(line) as { id: string | null; event: string; data: unknown };
    const decoded = decodeEvent({ id, name: event, data: JSON.stringify(data) });
    return decoded ? [decoded] : [];
  });
}
