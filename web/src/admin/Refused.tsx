/** Why something was refused: what the server says of it, if it says more than its code. */

import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import type { Refusal } from '../net/http';

export function Refused({ refusal }: { refusal: Refusal | null }) {
  const i18n = useI18n();
  if (refusal === null) return null;
  const says = (refusal.code === 'forbidden' || refusal.code === 'malformed') && refusal.message !== '';
  return <p role="alert" className="font-medium text-critical">{says ? refusal.message : reasonFor(i18n, refusal)}</p>;
}
