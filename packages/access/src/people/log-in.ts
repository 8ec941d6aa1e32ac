import type { Clock, HmacSha1, PasswordHasher, Sealer, UnitOfWork } from '@tallystick/kernel';
import type { AccessTx, PeopleTx } from '../ports.ts';
import { auditPerson } from './manage-people.ts';
import { type BegunSession, beginSession, type SessionPorts } from './manage-sessions.ts';
import { isPassword, totp_purpose } from './password.ts';
import { isHandle, type Person, personActor } from './person.ts';
import { findTotpStep } from './totp.ts';

export interface PersonLogInPorts extends SessionPorts {
  readonly unitOfWork: UnitOfWork<PeopleTx & Pick<AccessTx, 'audit'>>;
  readonly passwords: Pick<PasswordHasher, 'verify'>;
  readonly sealer: Sealer;
  readonly hmacSha1: HmacSha1;
  readonly clock: Clock;
  /** Codes and sessions go by the time of the machine. */
  readonly machine: Clock;
}

export interface PersonCredentials {
  readonly handle: string;
  readonly password: string;
  /** The code of six digits that the person's app shows. */
  readonly code: string;
}

/** Where a log-in comes from, for the audit log. */
export interface LogInOrigin {
  readonly request_id: string | null;
  readonly source_address: string | null;
}

export type LoggedIn = BegunSession & { readonly person: Person };

/**
 * Logs a person in by password and code, and writes the audit log; null when one of them is wrong,
 * or the person is unknown or disabled, which takes as long. A code works once, also when two use it
 * at the same time.
 */
export async function logInByPassword(
  ports: PersonLogInPorts,
  { handle, password, code }: PersonCredentials,
  origin: LogInOrigin,
): Promise<LoggedIn | null> {
  const name = handle.trim().toLowerCase();
  const known = isHandle(name) ? await ports.unitOfWork.read((tx) => tx.people.findByHandle(name)) : null;
  if (!(await isPassword(ports.passwords, password, known?.password_hash ?? null)) || known === null) return null;
  const machine_ms = ports.machine.nowMs();
  return await ports.unitOfWork.run(async (tx) => {
    const person = await tx.people.find(known.id, { for_update: true });
    // It may have changed since its password was verified.
    if (person?.status !== 'active' || person.password_hash !== known.password_hash) return null;
    const { totp_secret_sealed: sealed, totp_last_step } = person;
    if (sealed === null) return null;
    const secret = ports.sealer.open(totp_purpose, sealed);
    const step = findTotpStep(ports.hmacSha1, secret, code, machine_ms, totp_last_step);
    if (step === null) return null;
    await tx.people.update({ ...person, totp_last_step: step });
    return await begin(tx, ports, person, origin, 'password');
  });
}

/**
 * Logs in the person who was registered with this identity before, and writes the audit log; null
 * when there is none, or it is disabled.
 */
export function logInBySubject(
  ports: Omit<PersonLogInPorts, 'passwords' | 'sealer' | 'hmacSha1'>,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  origin: LogInOrigin,
): Promise<LoggedIn | null> {
  return ports.unitOfWork.run(async (tx) => {
    const found = await tx.people.findBySubject(issuer, subject);
    const person = found && (await tx.people.find(found.id, { for_update: true }));
    // It may have been disabled, or have another identity, since it was found.
    if (person?.status !== 'active' || person.issuer !== issuer || person.subject !== subject) return null;
    return await begin(tx, ports, person, origin, 'openid');
  });
}

/** Logs in one of the sandbox's people, without a password. Null when there is none. */
export function logInToSandbox(
  ports: Omit<PersonLogInPorts, 'passwords' | 'sealer' | 'hmacSha1'>,
  handle: string,
  origin: LogInOrigin,
): Promise<LoggedIn | null> {
  return ports.unitOfWork.run(async (tx) => {
    const person = isHandle(handle) ? await tx.people.findByHandle(handle) : null;
    return person?.status === 'active' ? await begin(tx, ports, person, origin, 'sandbox') : null;
  });
}

async function begin(
  tx: PeopleTx & Pick<AccessTx, 'audit'>,
  ports: SessionPorts & Pick<PersonLogInPorts, 'clock' | 'machine'>,
  person: Person,
  origin: LogInOrigin,
  by: 'password' | 'openid' | 'sandbox',
): Promise<LoggedIn> {
  const at = { source_address: origin.source_address, machine_ms: ports.machine.nowMs() };
  const begun = await beginSession(tx, ports, { person_id: person.id }, at);
  const call = { actor: personActor(person), ...origin, now_ms: ports.clock.nowMs() };
  await auditPerson(tx, call, 'person.logged_in', person, { by });
  return { ...begun, person };
}
