/** Conversations of other chats: sends an export, reads how far the server came (Y-5). */

import type { ErrorCode } from '../protocol/generated';
import { isFields } from './decode';
import { ask, Refusal } from './http';

/** What an import left out, by count. */
export const LEFT_OUT = [
  'branches', 'attachments', 'tools', 'thoughts', 'hidden', 'cut', 'messages', 'conversations', 'empty', 'unreadable',
] as const;

export type LeftOut = Record<(typeof LEFT_OUT)[number], number>;

export interface ImportReport {
  product: 'chatgpt' | 'claude' | 'open-webui' | 'librechat';
  imported: number;
  there_before: number;
  not_told: number;
  left_out: LeftOut;
}

/** The address of everything that a person has, as a file. */
export const EXPORT_ALL = '/api/export';

/** Sends a file. `progress` is told how many conversations are done, of how many. */
export async function importFile(
  file: Blob,
  project: string,
  progress: (done: number, of: number) => void,
): Promise<ImportReport> {
  const response = await ask(`/api/imports?project=${encodeURIComponent(project)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
  let report: ImportReport | null = null;
  for await (const line of lines(response)) {
    const said: unknown = JSON.parse(line);
    if (!isFields(said)) continue;
    if (isFields(said['error'])) {
      const { code, message } = said['error'];
      throw new Refusal(code as ErrorCode, typeof message === 'string' ? message : '');
    }
    if (typeof said['done'] === 'number' && typeof said['of'] === 'number') progress(said['done'], said['of']);
    if (isFields(said['report'])) report = said['report'] as unknown as ImportReport;
  }
  // The connection broke: the same file again imports the rest.
  if (report === null) throw new Refusal('offline', 'the response ended early');
  return report;
}

async function* lines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) return;
    const whole = (rest + read.value).split('\n');
    rest = whole.pop() ?? '';
    yield* whole.filter((line) => line !== '');
  }
}
