/** T-4: how much hangs on a question, by colour and by word. */

import type { Severity } from '../protocol/generated';
import type { Words } from '../words';
import type { Tone } from './Card';

export function toneOf(severity: Severity | undefined): Tone {
  if (severity === 'critical') return 'critical';
  return severity === 'major' ? 'warning' : 'question';
}

export function severityWord({ t }: Words, severity: Severity | undefined): string | null {
  if (severity === 'critical') return t('severity.critical');
  return severity === 'major' ? t('severity.major') : null;
}
