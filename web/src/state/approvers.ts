/** Whose answers to a prompt count (Y-2). The server decides it; the page only offers what would be taken. */

import type { Me } from '../net/api';
import type { Approvers } from '../protocol/generated';

/** Whether an answer of whoever is logged in would be taken. */
export function mayAnswer(me: Me | null, approvers: Approvers | undefined): boolean {
  if (approvers === undefined || me === null) return true;
  const { admin = false, roles = [], people = [], other = false, asked_by } = approvers;
  const { person } = me;
  const namesNobody = !admin && roles.length === 0 && people.length === 0;
  const isNamed =
    (admin && me.role === 'admin') ||
    roles.some((role) => person?.roles?.includes(role) ?? false) ||
    (person?.login !== undefined && people.includes(person.login));
  const isOther = person !== undefined && asked_by !== undefined && person.id !== asked_by;
  return (namesNobody || isNamed) && (!other || isOther);
}
