import { type Area, company_of_role, type Role, rolesOf } from '../keys/role.ts';
import { type VisitorRole, visitorRolesOf } from './person-role.ts';

/** A role, for one company or for all. */
export interface Grant<Held extends VisitorRole = VisitorRole> {
  readonly role: Held;
  /** Null: for all companies, and for what belongs to none. */
  readonly company_id: number | null;
}

/** Who looks at the console: a person, or who has opened a portal link. */
export interface Visitor {
  /** As the audit log and histories name it: `person:anna`. */
  readonly actor: string;
  readonly grants: readonly Grant[];
}

/** What a visitor wants to do: to read, or to change something. */
export type Effect = 'read' | 'change';

/** Whether a part of the service is used for one company: all of it, or for one or all. */
export function isOfCompanies(area: Area): boolean {
  return rolesOf(area).some((role) => company_of_role[role] !== 'never');
}

/**
 * Returns the role in which a visitor may do this for a company, or for all (`company_id` null).
 * Null: the visitor may not. Parts of the service that belong to no single company need a grant for
 * all companies.
 */
export function roleFor(visitor: Visitor, area: Area, effect: Effect, company_id: number | null): Role | null {
  const allowed = visitorRolesOf(area, effect);
  const role = rolesOf(area).find((candidate) => {
    const of_role = company_of_role[candidate];
    return of_role === 'optional' || (of_role === 'always') === (company_id !== null);
  });
  if (role === undefined) return null;
  const is_permitted = visitor.grants.some(
    (grant) => allowed.includes(grant.role) && (grant.company_id === null || grant.company_id === company_id),
  );
  return is_permitted ? role : null;
}
