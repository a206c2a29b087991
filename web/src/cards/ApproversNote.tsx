/** Who may answer a prompt, where that is not everybody who takes part (Y-2). */

import { Users } from 'lucide-react';

import { type I18n, useI18n } from '../i18n';
import type { Approvers } from '../protocol/generated';
import { VisibleText } from '../ui/VisibleText';

export function ApproversNote({ approvers, mine }: { approvers: Approvers; mine: boolean }) {
  const i18n = useI18n();
  return (
    <p className="flex items-start gap-2 text-small text-muted">
      <Users size={15} aria-hidden="true" className="mt-[3px] shrink-0" />
      <span>
        {!mine && <span className="font-medium text-ink">{i18n.t('approvers.not_you')} </span>}
        <VisibleText text={whoMay(i18n, approvers)} />
      </span>
    </p>
  );
}

export function whoMay({ t, language }: I18n, { admin = false, roles = [], people = [], other = false, asked_by }: Approvers): string {
  const named = [
    ...(admin ? [t('approvers.admin')] : []),
    ...roles.map((role) => t('approvers.role', { role })),
    ...people,
  ];
  const list = new Intl.ListFormat(language === 'pt' ? 'pt-BR' : 'en', { type: 'disjunction' }).format(named);
  if (!other) return t('approvers.may', { who: list });
  if (asked_by === undefined) return t('approvers.nobody');
  return named.length === 0 ? t('approvers.other') : t('approvers.other_of', { who: list });
}
