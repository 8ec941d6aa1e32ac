import {
  invalid,
  type PasswordHasher,
  type Random,
  Refusal,
  reseal,
  resealAll,
  type Sealer,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { OperatorCall } from '../companies/manage-companies.ts';
import type { AccessTx, PeopleTx } from '../ports.ts';
import { auditPerson, readPerson } from './manage-people.ts';
import type { Person } from './person.ts';
import { toBase32, totp_secret_length, totpUri } from './totp.ts';

export const person_password_length_min = 12;
/** In UTF-16 units. */
export const person_password_length_max = 1_024;

/** The same password however it is typed. */
function normalPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Refuses (`validation_failed`) a password that is too short, too long, or the person's handle. */
function checkPassword(password: string, { handle }: Pick<Person, 'handle'>): string {
  const normal = normalPassword(password);
  const refuse = (message: string) => invalid({ path: 'password', message });
  if ([...normal].length < person_password_length_min) {
    throw refuse(`must have at least ${person_password_length_min} characters`);
  }
  if (password.length > person_password_length_max) {
    throw refuse(`must have at most ${person_password_length_max} characters`);
  }
  if (normal.trim().toLowerCase() === handle) throw refuse('must not be the handle');
  return normal;
}

/** Whether it is the password with this hash. That takes as long where there is none (null). */
export function isPassword(
  passwords: Pick<PasswordHasher, 'verify'>,
  typed: string,
  hash: string | null,
): Promise<boolean> {
  return passwords.verify(typed.length <= person_password_length_max ? normalPassword(typed) : '', hash);
}

/** The session in which a person changes its own password, and the hash of the one that was verified. */
interface OwnSession {
  readonly session_id: number;
  readonly password_hash: string | null;
}

/**
 * Sets the password of a person, ends all its sessions but its `own` one, and writes the audit log.
 * The log-in also needs a code (`resetTotp`). Refuses `not_found`, as `checkPassword`
 * `validation_failed`, and (`conflict`) when its `own` session has ended, or its password is another
 * one by now.
 */
export async function setPassword(
  { unitOfWork, passwords }: SetPasswordPorts,
  call: OperatorCall,
  id: number,
  password: string,
  own?: OwnSession,
): Promise<Person> {
  const { handle } = await unitOfWork.read((tx) => readPerson(tx, id));
  // Hashed before the transaction: it takes long, and a transaction excludes others.
  const password_hash = await passwords.hash(checkPassword(password, { handle }));
  return await unitOfWork.run(async (tx) => {
    const now = await readPerson(tx, id, { for_update: true });
    const sessions = await tx.console_sessions.ofPerson(id);
    const others = sessions.filter((one) => one.id !== own?.session_id);
    const has_ended = others.length === sessions.length;
    if (own !== undefined && (has_ended || now.password_hash !== own.password_hash)) {
      throw new Refusal('conflict', 'the session has ended, or the password was changed meanwhile');
    }
    const person = { ...now, password_hash };
    await tx.people.update(person);
    for (const session of others) await tx.console_sessions.end(session.id);
    await auditPerson(tx, call, 'person.password_set', person);
    return person;
  });
}

/**
 * Changes the password of the person of a session, who proves the `present` one, as `setPassword`
 * does. Its other sessions end. Null: the present one is wrong, or the person has none.
 */
export async function changeOwnPassword(
  ports: SetPasswordPorts & { readonly passwords: Pick<PasswordHasher, 'verify'> },
  call: OperatorCall,
  { id, password_hash }: Pick<Person, 'id' | 'password_hash'>,
  session_id: number,
  { present, password }: { readonly present: string; readonly password: string },
): Promise<Person | null> {
  if (!(await isPassword(ports.passwords, present, password_hash))) return null;
  return await setPassword(ports, call, id, password, { session_id, password_hash });
}

export interface SetPasswordPorts {
  readonly unitOfWork: UnitOfWork<PeopleTx & Pick<AccessTx, 'audit'>>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
}

/** A new secret of time-based codes. It is shown only once. */
export interface TotpSecret {
  readonly person: Person;
  /** Base32, to be typed into an app. */
  readonly totp_secret: string;
  /** The same as an address that an app reads. */
  readonly totp_uri: string;
}

/**
 * Gives a person a new secret of time-based codes in place of the one before, ends all its sessions,
 * and writes the audit log. Refuses `not_found`.
 */
export async function resetTotp(
  tx: PeopleTx & Pick<AccessTx, 'audit'>,
  { random, sealer }: { readonly random: Pick<Random, 'bytes'>; readonly sealer: Sealer },
  call: OperatorCall,
  id: number,
): Promise<TotpSecret> {
  const present = await readPerson(tx, id, { for_update: true });
  const secret = random.bytes(totp_secret_length);
  const person = { ...present, totp_secret_sealed: sealer.seal(totp_purpose, secret), totp_last_step: null };
  await tx.people.update(person);
  await tx.console_sessions.endAll(id);
  await auditPerson(tx, call, 'person.totp_reset', person);
  return { person, totp_secret: toBase32(secret), totp_uri: totpUri(person.handle, secret) };
}

/** The purpose to which the sealed secret of time-based codes is bound. */
export const totp_purpose = 'person.totp_secret';

/**
 * Re-encrypts with the newest key of the ring every secret of time-based codes that an older key
 * sealed, in transactions of at most `batch` people. Returns how many.
 */
export function resealTotpSecrets(
  unitOfWork: UnitOfWork<Pick<PeopleTx, 'people'>>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ people }, { id }) => people.withTotpSecret(id, batch),
    async reseal({ people }, person) {
      const { totp_secret_sealed: sealed } = person;
      const resealed = sealed === null ? null : reseal(sealer, totp_purpose, sealed);
      if (resealed === null) return 0;
      await people.update({ ...person, totp_secret_sealed: resealed });
      return 1;
    },
  });
}
