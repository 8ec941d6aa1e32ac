import { auditEntry, type Call, daysBefore, type Random, type Sha256, toBase64Url } from '@tallystick/kernel';
import type { AccessTx, PortalLinkStore } from '../ports.ts';
import { type BegunSession, beginSession, findSession, hashToken } from './manage-sessions.ts';
import type { PortalLink } from './portal-link.ts';
import type { Visitor } from './visitor.ts';

/** How long a visit lasts at most, milliseconds. */
const visit_ms_max = 60 * 60_000;

/** How long the hash of a link is kept after the link expired. */
const kept_days = 30;

const token_bytes = 32;
const token_form = /^[A-Za-z0-9_-]{43}$/;

/** A visit that goes on. */
export interface PortalVisit {
  readonly link: PortalLink;
  readonly visitor: Visitor;
  readonly session_id: number;
  /** The request is to be written by `touch` of the session. */
  readonly is_unseen: boolean;
}

interface SecretPorts {
  readonly random: Pick<Random, 'bytes'>;
  readonly sha256: Sha256;
}

/** Who opens or ends a visit. */
type PortalCaller = Pick<Call, 'request_id' | 'source_address' | 'now_ms'>;

/** Creates a link and writes the audit log. The token is to be sent, and is not stored. */
export async function createPortalLink(
  tx: Pick<AccessTx, 'portal_links' | 'audit'>,
  { random, sha256 }: SecretPorts,
  call: Call,
  { read_only, expires_in_s }: { readonly read_only: boolean; readonly expires_in_s: number },
): Promise<{ readonly link: PortalLink; readonly token: string }> {
  const token = toBase64Url(random.bytes(token_bytes));
  const link = await tx.portal_links.insert({
    company_id: call.company_id,
    read_only,
    token_sha256: hashToken(sha256, token),
    created_at_ms: call.now_ms,
    expires_at_ms: call.now_ms + expires_in_s * 1_000,
    used_at_ms: null,
  });
  const entry = auditEntry(call, 'portal_link.created', `portal_link:${link.id}`, { read_only });
  await tx.audit.record(entry, call.now_ms);
  return { link, token };
}

/** Whether the token would open a link now. It only reads: strangers must take no turn of writers. */
export async function isPortalLinkOpen(
  tx: Pick<AccessTx, 'portal_links'>,
  { sha256 }: Pick<SecretPorts, 'sha256'>,
  token: string,
  now_ms: number,
): Promise<boolean> {
  if (!token_form.test(token)) return false;
  const link = await tx.portal_links.findByToken(hashToken(sha256, token));
  return link !== null && link.used_at_ms === null && link.expires_at_ms > now_ms;
}

/**
 * Uses the link, in the transaction, and begins the session of its visit. Null when the link was
 * used, has expired or is unknown. Writes the audit log.
 */
export async function openPortalLink(
  tx: Pick<AccessTx, 'portal_links' | 'console_sessions' | 'audit'>,
  ports: SecretPorts,
  { token, machine_ms, ...caller }: PortalCaller & { readonly token: string; readonly machine_ms: number },
): Promise<BegunSession | null> {
  if (!token_form.test(token)) return null;
  const { now_ms, source_address = null } = caller;
  const link = await tx.portal_links.use(hashToken(ports.sha256, token), now_ms);
  if (link === null) return null;
  await tx.audit.record(entryOf(link, caller, 'portal_link.opened'), now_ms);
  return beginSession(tx, ports, { portal_link_id: link.id }, { source_address, machine_ms }, visit_ms_max);
}

/** Returns the visit whose session has this token while it goes on. */
export async function findPortalVisit(
  tx: Pick<AccessTx, 'portal_links' | 'console_sessions' | 'people'>,
  ports: Pick<SecretPorts, 'sha256'>,
  token: string,
  machine_ms: number,
): Promise<PortalVisit | null> {
  const found = await findSession(tx, ports, token, machine_ms);
  if (found === null || found.session.portal_link_id === null) return null;
  const link = await tx.portal_links.find(found.session.portal_link_id);
  if (link === null) return null;
  const grants = [{ role: link.read_only ? 'portal_reader' : 'portal', company_id: link.company_id }] as const;
  const visitor = { actor: actorOf(link), grants };
  return { link, visitor, session_id: found.session.id, is_unseen: found.is_unseen };
}

/** Ends the visit and writes the audit log. */
export async function endPortalVisit(
  tx: Pick<AccessTx, 'console_sessions' | 'audit'>,
  { link, session_id }: PortalVisit,
  caller: PortalCaller,
): Promise<void> {
  await tx.console_sessions.end(session_id);
  await tx.audit.record(entryOf(link, caller, 'portal_link.ended'), caller.now_ms);
}

/** Drops links that expired 30 days ago, at most `limit`. Returns how many. */
export function purgePortalLinks(
  tx: { readonly portal_links: Pick<PortalLinkStore, 'purge'> },
  now_ms: number,
  limit: number,
): Promise<number> {
  return tx.portal_links.purge(daysBefore(now_ms, kept_days), limit);
}

function actorOf({ id }: PortalLink): string {
  return `portal:${id}`;
}

function entryOf(link: PortalLink, caller: PortalCaller, action: string) {
  const call = { ...caller, company_id: link.company_id, actor: actorOf(link) };
  return auditEntry(call, action, `portal_link:${link.id}`);
}
