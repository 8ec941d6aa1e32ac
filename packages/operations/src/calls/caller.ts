import { type AccessTx, type Area, company_of_role, mayUse, type Role, roles, rolesOf } from '@tallystick/access';
import { invalid, isName, isStorable, maskCardNumbers, Refusal } from '@tallystick/kernel';
import type { Caller } from '../operation.ts';

/** The most characters of an actor. */
const actor_length_max = 128;

/** The party on whose behalf a host calls. The host has authenticated its user: there is no key. */
export interface OperationCaller {
  readonly role: Role;
  /**
   * The company whose data the call may see and change. Required for `client`; for `bank` it limits
   * the call to one company; else absent or null.
   */
  readonly company_id?: number | null | undefined;
  /**
   * Who did it, for the audit log, in the host's own words: `user:anna`. 1 to 128 printable
   * characters. A card number in it is masked.
   */
  readonly actor: string;
}

/** Refuses (`validation_failed`, `forbidden`) a caller that cannot be, or may not do this. */
export function checkCaller(
  { role, company_id = null, actor }: OperationCaller,
  area: Area,
): Caller & { readonly actor: string } {
  if (!roles.includes(role)) throw invalid({ path: 'role', message: `must be one of ${roles.join(', ')}` });
  const of_role = company_of_role[role];
  if (company_id === null ? of_role === 'always' : of_role === 'never') {
    const message = company_id === null ? 'is required: the id of a company' : `must be absent for the role ${role}`;
    throw invalid({ path: 'company_id', message });
  }
  if (company_id !== null && !(Number.isSafeInteger(company_id) && company_id >= 1)) {
    throw invalid({ path: 'company_id', message: 'must be the id of a company: an integer of at least 1' });
  }
  if (typeof actor !== 'string' || !isStorable(actor) || !isName(actor, actor_length_max)) {
    throw invalid({ path: 'actor', message: `must be a text of 1 to ${actor_length_max} printable characters` });
  }
  if (!mayUse({ role }, area)) {
    const required = rolesOf(area).join(' or ');
    throw new Refusal('forbidden', `the role ${role} may not do this; it requires the role ${required}`);
  }
  const named = maskCardNumbers(actor);
  return { key_id: named, role, company_id, actor: named };
}

/**
 * Refuses (`not_found`) a company that does not exist, and (`forbidden`) a closed one. Over HTTP,
 * the key of the request proves both.
 */
export async function requireOpenCompany(tx: Pick<AccessTx, 'companies'>, company_id: number | null): Promise<void> {
  if (company_id === null) return;
  const company = await tx.companies.find(company_id);
  if (company === null) throw new Refusal('not_found', `there is no company ${company_id}`);
  if (company.status === 'closed') throw new Refusal('forbidden', 'the company is closed');
}
