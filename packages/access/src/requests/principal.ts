import { assert, Refusal } from '@tallystick/kernel';
import { type Area, type Role, rolesOf } from '../keys/role.ts';

export interface Principal {
  /**
   * `17`, or `sandbox:client` for the sandbox's fixed keys. Scopes idempotency keys and rate
   * limits.
   */
  readonly key_id: string;
  readonly role: Role;
  readonly company_id: number | null;
  readonly signing_secret: string | null;
  readonly rate_limit_per_minute: number | null;
  /** The limit of all keys of its company together; null without a limit or a company. */
  readonly company_rate_limit_per_minute: number | null;
}

export function mayUse({ role }: Pick<Principal, 'role'>, area: Area): boolean {
  return rolesOf(area).includes(role);
}

/** Refuses (`forbidden`) unless the caller's role may do this. */
export function requireRole(principal: Pick<Principal, 'role'>, area: Area): void {
  if (mayUse(principal, area)) return;
  const required = rolesOf(area).join(' or ');
  throw new Refusal(
    'forbidden',
    `a key of the role ${principal.role} may not do this; it requires the role ${required}`,
  );
}

/**
 * Returns the company for which a client acts. Throws a `Violation` for roles without a company:
 * call `requireRole` before.
 */
export function companyOf({ company_id, key_id }: Pick<Principal, 'company_id' | 'key_id'>): number {
  assert(company_id !== null, `the key ${key_id} belongs to no company`);
  return company_id;
}
