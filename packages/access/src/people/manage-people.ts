import {
  auditEntry,
  invalid,
  type Page,
  type PageRequest,
  Refusal,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import { readName, readPrintable } from '../companies/company.ts';
import type { OperatorCall } from '../companies/manage-companies.ts';
import type { AccessTx, PeopleTx } from '../ports.ts';
import {
  grants_max,
  handle_length_max,
  isHandle,
  type Person,
  type PersonStatus,
  person_name_length_max,
  person_statuses,
  subject_length_max,
} from './person.ts';
import { type PersonRole, person_roles } from './person-role.ts';
import type { Grant } from './visitor.ts';

type ManageTx = PeopleTx & Pick<AccessTx, 'companies' | 'audit'>;

export interface PersonRequest {
  /** 1 to 64 of a-z, 0-9, `.`, `_` and `-`. No other person has it. */
  readonly handle: string;
  /** 1 to 255 characters. */
  readonly name: string;
  /** Who the person is to the OpenID provider: with `subject`, or absent. */
  readonly issuer?: string | null | undefined;
  readonly subject?: string | null | undefined;
  /** At most 100. Without any the person can only log in. */
  readonly grants: readonly GrantRequest[];
}

export interface GrantRequest {
  readonly role: PersonRole;
  /** Null or absent: all companies. */
  readonly company_id?: number | string | null | undefined;
}

/**
 * Creates a person without a password, and writes the audit log. Refuses (`validation_failed`)
 * values out of bounds, unknown companies, and the handle or the subject of another person.
 */
export async function createPerson(tx: ManageTx, call: OperatorCall, request: PersonRequest): Promise<Person> {
  const fields = new RequestFields(request);
  fields.require('handle');
  const handle = fields.readText('handle', isHandle, `1 to ${handle_length_max} of a-z, 0-9, ".", "_" and "-"`);
  const name = readName(fields, person_name_length_max);
  const identity = readIdentity(fields);
  const grants = readGrants(fields) ?? [];
  fields.refuseInvalid();
  await requireCompanies(tx, grants);
  const person = await tx.people.insert({
    handle: handle!,
    name: name!,
    ...identity,
    password_hash: null,
    totp_secret_sealed: null,
    totp_last_step: null,
    status: 'active',
    grants,
    created_at_ms: call.now_ms,
  });
  await auditPerson(tx, call, 'person.created', person, described(person));
  return person;
}

/** A change of a person. A field that is absent stays. */
export interface PersonChange {
  readonly name?: unknown;
  /** Cannot be changed: only the present value is accepted. */
  readonly handle?: unknown;
  /** Null: none. Together with `subject`. */
  readonly issuer?: string | null | undefined;
  readonly subject?: string | null | undefined;
  /** All that the person has from now on. */
  readonly grants?: readonly GrantRequest[] | undefined;
  /** `disabled` also ends all sessions. */
  readonly status?: PersonStatus | undefined;
}

/**
 * Changes a person, from the next request of each session on. Writes the audit log if the change
 * makes a difference. Refuses `not_found`, and `validation_failed` as `createPerson` does.
 */
export async function updatePerson(
  tx: ManageTx,
  call: OperatorCall,
  id: number,
  change: PersonChange,
): Promise<Person> {
  const person = await readPerson(tx, id, { for_update: true });
  const fields = new RequestFields(change);
  if (fields.carries('handle') && change.handle !== person.handle) {
    fields.addProblem('handle', `cannot be changed; it is ${showValue(person.handle)}`);
  }
  const name = fields.carries('name') ? readName(fields, person_name_length_max) : person.name;
  const has_identity = fields.carries('issuer') || fields.carries('subject');
  const identity = has_identity ? readIdentity(fields) : { issuer: person.issuer, subject: person.subject };
  const grants = (fields.carries('grants') ? readGrants(fields) : person.grants) ?? person.grants;
  const status = fields.readChoice('status', person_statuses) ?? person.status;
  fields.refuseInvalid();
  await requireCompanies(tx, grants);
  const changed: Person = { ...person, name: name!, ...identity, grants, status };
  const is_same = JSON.stringify(described(person)) === JSON.stringify(described(changed));
  if (is_same && person.status === status) return person;
  await tx.people.update(changed);
  if (!is_same) await auditPerson(tx, call, 'person.updated', changed, described(changed));
  if (person.status !== status) {
    if (status === 'disabled') await tx.console_sessions.endAll(id);
    await auditPerson(tx, call, status === 'disabled' ? 'person.disabled' : 'person.enabled', changed);
  }
  return changed;
}

/** Ends all sessions of a person, and writes the audit log. Returns how many. Refuses `not_found`. */
export async function endSessions(
  tx: PeopleTx & Pick<AccessTx, 'audit'>,
  call: OperatorCall,
  id: number,
): Promise<number> {
  const person = await readPerson(tx, id);
  const sessions = await tx.console_sessions.endAll(id);
  await auditPerson(tx, call, 'person.sessions_ended', person, { sessions });
  return sessions;
}

/** Returns the person. Refuses `not_found`. */
export async function readPerson(
  tx: Pick<PeopleTx, 'people'>,
  id: number,
  options?: { readonly for_update?: boolean },
): Promise<Person> {
  const person = await tx.people.find(id, options);
  if (person === null) throw new Refusal('not_found', `there is no person ${id}`);
  return person;
}

/** Lists all people, newest first, also disabled ones. */
export function listPeople(tx: Pick<PeopleTx, 'people'>, page: PageRequest): Promise<Page<Person>> {
  return tx.people.list(page);
}

/** The refusal of a handle that another person has. */
export function refuseTakenHandle(handle: string): Refusal {
  return invalid({ path: 'handle', message: `must not be that of another person: ${showValue(handle)}` });
}

/** The refusal of an identity at the OpenID provider that another person has. */
export function refuseTakenSubject(): Refusal {
  return invalid({ path: 'subject', message: 'must not be that of another person with this issuer' });
}

export function auditPerson(
  tx: Pick<AccessTx, 'audit'>,
  call: OperatorCall,
  action: string,
  { id, handle }: Pick<Person, 'id' | 'handle'>,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const entry = auditEntry({ ...call, company_id: null }, action, `person:${id}`, { handle, ...details });
  return tx.audit.record(entry, call.now_ms);
}

function described({ name, issuer, subject, grants }: Person) {
  return { name, issuer, subject, grants };
}

function readIdentity(fields: RequestFields): Pick<Person, 'issuer' | 'subject'> {
  if (!fields.has('issuer') && !fields.has('subject')) return { issuer: null, subject: null };
  const issuer = readPrintable(fields, 'issuer', subject_length_max);
  const subject = readPrintable(fields, 'subject', subject_length_max);
  if (issuer !== null && !/^https?:\/\/\S+$/.test(issuer)) {
    fields.addProblem('issuer', 'must be the URL of an OpenID provider, as its id tokens name it');
  }
  return { issuer, subject };
}

function readGrants(fields: RequestFields): readonly Grant<PersonRole>[] | null {
  fields.require('grants');
  const sent = fields.readArray('grants', { min: 0, max: grants_max }, 'grants');
  const grants = sent?.map((value, at) => {
    const grant = fields.within(`grants[${at}]`, value);
    grant.require('role', person_roles.join(', '));
    return { role: grant.readChoice('role', person_roles)!, company_id: grant.readId('company_id') };
  });
  if (grants === undefined) return null;
  const distinct = new Map(grants.map((grant) => [`${grant.role} ${grant.company_id}`, grant]));
  return [...distinct.values()];
}

async function requireCompanies(tx: ManageTx, grants: readonly Grant[]): Promise<void> {
  const ids = [...new Set(grants.flatMap(({ company_id }) => company_id ?? []))];
  const found = new Set((await tx.companies.findByIds(ids)).map(({ id }) => id));
  const at = grants.findIndex(({ company_id }) => company_id !== null && !found.has(company_id));
  if (at === -1) return;
  const message = `is not the id of a company: ${grants[at]!.company_id}`;
  throw invalid({ path: `grants[${at}].company_id`, message });
}
