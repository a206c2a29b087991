/** The button below a list that has another page. */

import { useI18n } from '../i18n';
import { Button } from '../ui/Button';

export function More({ more }: { more: (() => void) | null }) {
  const { t } = useI18n();
  return more && <Button className="mt-3" onClick={more}>{t('admin.more')}</Button>;
}
