/** Choosing a role. */

import { useI18n } from '../i18n';
import type { Role } from '../net/admin';

interface Props {
  id?: string;
  label?: string;
  role: Role;
  choose(role: Role): void;
  disabled?: boolean;
}

export function RoleField({ id, label, role, choose, disabled = false }: Props) {
  const { t } = useI18n();
  return (
    <select id={id} aria-label={label} value={role} disabled={disabled} onChange={(event) => choose(event.target.value as Role)} className="field w-auto min-w-36">
      {(['user', 'admin'] as const).map((one) => (
        <option key={one} value={one}>{t(`admin.role.${one}`)}</option>
      ))}
    </select>
  );
}
