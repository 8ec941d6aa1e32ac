import type { PersonRole } from './person-role.ts';
import type { Grant } from './visitor.ts';

/** A person who may use the console. It exists only because somebody with the right to made it. */
export interface Person {
  readonly id: number;
  /** The name at log-in, and in the audit log (`person:anna`). It never changes. */
  readonly handle: string;
  /** The name that people read. */
  readonly name: string;
  /** Who the person is to the OpenID provider: both, or neither. No other person has this pair. */
  readonly issuer: string | null;
  readonly subject: string | null;
  /** The hash of the password with its parameters; null: none, so no log-in by password. */
  readonly password_hash: string | null;
  /** The secret of the time-based codes, without which there is no log-in by password. */
  readonly totp_secret_sealed: Uint8Array | null;
  /** The step of the last code that was used: neither it nor an earlier one is accepted again. */
  readonly totp_last_step: number | null;
  readonly status: PersonStatus;
  readonly grants: readonly Grant<PersonRole>[];
  readonly created_at_ms: number;
}

export const person_statuses = ['active', 'disabled'] as const;

export type PersonStatus = (typeof person_statuses)[number];

export const handle_length_max = 64;
export const person_name_length_max = 255;
export const grants_max = 100;
/** Of an issuer and a subject, in characters. */
export const subject_length_max = 255;

export function isHandle(text: string): boolean {
  return text.length <= handle_length_max && /^[a-z0-9._-]+$/.test(text);
}

/** The person as the audit log and histories name it. */
export function personActor({ handle }: Pick<Person, 'handle'>): string {
  return `person:${handle}`;
}
