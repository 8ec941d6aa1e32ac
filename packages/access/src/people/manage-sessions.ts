import { type Random, type Sha256, toBase64Url, toHex } from '@tallystick/kernel';
import type { PeopleTx } from '../ports.ts';
import { type ConsoleSession, isOpen, session_absolute_ms, session_idle_ms } from './console-session.ts';
import type { Person } from './person.ts';

/** A later request is written only after this time, so that reading pages writes little. */
const seen_every_ms = 60_000;

/** A new session, and its token, which only the browser keeps: 256 random bits in base64url. */
export interface BegunSession {
  readonly session: ConsoleSession;
  readonly token: string;
}

export interface SessionPorts {
  readonly random: Pick<Random, 'bytes'>;
  readonly sha256: Sha256;
}

/** Whose session it is. */
export type SessionOwner = { readonly person_id: number } | { readonly portal_link_id: number };

/** Begins a session. `lasts_ms` is its absolute end. */
export async function beginSession(
  tx: Pick<PeopleTx, 'console_sessions'>,
  { random, sha256 }: SessionPorts,
  owner: SessionOwner,
  { source_address, machine_ms }: { readonly source_address: string | null; readonly machine_ms: number },
  lasts_ms = session_absolute_ms,
): Promise<BegunSession> {
  const token = toBase64Url(random.bytes(32));
  const session = await tx.console_sessions.insert({
    token_sha256: hashToken(sha256, token),
    person_id: null,
    portal_link_id: null,
    ...owner,
    source_address,
    created_machine_ms: machine_ms,
    seen_machine_ms: machine_ms,
    ends_machine_ms: machine_ms + lasts_ms,
  });
  return { session, token };
}

/** A session that is valid now, with its person as it is now; null: a portal link. */
export interface ValidSession {
  readonly session: ConsoleSession;
  readonly person: Person | null;
  /** The request is to be written by `touch` of the store. */
  readonly is_unseen: boolean;
}

/**
 * Finds the session of a token; null for an unknown or ended one, and for that of a disabled
 * person. Reads the person each time: a change counts from the next request on.
 */
export async function findSession(
  tx: Pick<PeopleTx, 'console_sessions' | 'people'>,
  { sha256 }: Pick<SessionPorts, 'sha256'>,
  token: string,
  machine_ms: number,
): Promise<ValidSession | null> {
  const [session] = await tx.console_sessions.findAll([hashToken(sha256, token)]);
  if (session === undefined || !isOpen(session, machine_ms)) return null;
  const person = session.person_id === null ? null : await tx.people.find(session.person_id);
  if (session.person_id !== null && person?.status !== 'active') return null;
  return { session, person, is_unseen: machine_ms - session.seen_machine_ms >= seen_every_ms };
}

/** Which of these tokens have an open session. That of a disabled person was ended. */
export async function openTokens(
  tx: Pick<PeopleTx, 'console_sessions'>,
  { sha256 }: Pick<SessionPorts, 'sha256'>,
  tokens: readonly string[],
  machine_ms: number,
): Promise<ReadonlySet<string>> {
  const hashes = tokens.map((token) => hashToken(sha256, token));
  const found = await tx.console_sessions.findAll(hashes);
  const open = new Set(
    found.filter((session) => isOpen(session, machine_ms)).map(({ token_sha256 }) => toHex(token_sha256)),
  );
  return new Set(tokens.filter((_, at) => open.has(toHex(hashes[at]!))));
}

/** The open sessions of a person, newest first. */
export async function listSessions(
  tx: Pick<PeopleTx, 'console_sessions'>,
  person_id: number,
  machine_ms: number,
): Promise<readonly ConsoleSession[]> {
  const sessions = await tx.console_sessions.ofPerson(person_id);
  return sessions.filter((session) => isOpen(session, machine_ms));
}

/** Deletes at most `limit` sessions that have ended. Returns how many. */
export function purgeSessions(
  tx: Pick<PeopleTx, 'console_sessions'>,
  machine_ms: number,
  limit: number,
): Promise<number> {
  return tx.console_sessions.purge({ ends: machine_ms, seen: machine_ms - session_idle_ms }, limit);
}

/** The hash by which a session or a portal link is stored. */
export function hashToken(sha256: Sha256, token: string): Uint8Array {
  return sha256(new TextEncoder().encode(token));
}
