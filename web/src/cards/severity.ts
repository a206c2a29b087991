/** T-4: the severity of a question as colour and as label. */

import type { I18n } from '../i18n';
import type { Severity } from '../protocol/generated';
import type { Tone } from './Card';

export function toneOf(severity: Severity | undefined): Tone {
  if (severity === 'critical') return 'critical';
  return severity === 'major' ? 'warning' : 'question';
}

export function severityLabel({ t }: I18n, severity: Severity | undefined): string | null {
  if (severity === 'critical') return t('severity.critical');
  return severity === 'major' ? t('severity.major') : null;
}
