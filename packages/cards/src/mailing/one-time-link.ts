/**
 * The link in a mail that shows a card's number and code:
 *
 *   open ──opened──────────────────> used
 *   open ──24 hours pass───────────> expired
 *   open ──its mail is sent again──> replaced
 *
 * An open link shows the number once; later visits see that the link was used. The link is the only
 * proof: 256 random bits, of which a SHA-256 is stored, so that neither the database nor a backup
 * of it opens a link.
 */
import { type Call, type Random, type Sha256, toBase64Url } from '@tallystick/kernel';
import type { CardVault } from '../numbers/card-vault.ts';
import { revealNumbers } from '../numbers/reveal.ts';
import type { Mail } from './mail.ts';
import type { MailTx } from './ports.ts';

/** How long a link can be opened, milliseconds (decision: 24 h, one view). */
const link_ms_max = 24 * 60 * 60 * 1_000;

const token_bytes = 32;
const token_form = /^[A-Za-z0-9_-]{43}$/;

/** The token of a link, to be sent and not stored, and when the link expires. */
interface OfferedLink {
  readonly token: string;
  readonly expires_at_ms: number;
}

/** The data that the page behind the link shows, in plain text. Not to be stored or logged. */
export interface OpenedCard {
  readonly rcn_alias: string;
  readonly card_number: string;
  readonly cvc: string;
  /** YYYY-MM. */
  readonly expiry: string;
}

/**
 * Creates the link of a mail and replaces an earlier one. Null when the earlier link was used,
 * which proves that the mail arrived.
 */
export async function offerLink(
  tx: Pick<MailTx, 'one_time_links'>,
  { random, sha256 }: { readonly random: Random; readonly sha256: Sha256 },
  { id, company_id, card_id }: Mail,
  now_ms: number,
): Promise<OfferedLink | null> {
  const token = toBase64Url(random.bytes(token_bytes));
  const expires_at_ms = now_ms + link_ms_max;
  const kept = await tx.one_time_links.replace({
    mail_id: id,
    company_id,
    card_id,
    token_sha256: hashOf(token, sha256),
    created_at_ms: now_ms,
    expires_at_ms,
  });
  return kept ? { token, expires_at_ms } : null;
}

/** Whether the token would open a card now. Changes nothing, because programs also follow links. */
export async function isLinkOpen(
  tx: Pick<MailTx, 'one_time_links' | 'cards'>,
  { sha256 }: { readonly sha256: Sha256 },
  token: string,
  now_ms: number,
): Promise<boolean> {
  if (!token_form.test(token)) return false;
  const link = await tx.one_time_links.find(hashOf(token, sha256));
  if (link === null || link.used_at_ms !== null || link.expires_at_ms <= now_ms) return false;
  const card = await tx.cards.find(link.company_id, link.card_id);
  return card !== null && card.status !== 'Canceled';
}

/**
 * Uses the link, in the transaction, and returns the data to show. Null when the link was used, has
 * expired, was replaced or is unknown, or when its card is Canceled. Writes an audit entry.
 */
export async function openOneTimeLink(
  tx: Pick<MailTx, 'one_time_links' | 'cards' | 'audit'>,
  { vault, sha256 }: { readonly vault: CardVault; readonly sha256: Sha256 },
  { token, ...caller }: Pick<Call, 'request_id' | 'source_address' | 'now_ms'> & { readonly token: string },
): Promise<OpenedCard | null> {
  if (!token_form.test(token)) return null;
  const link = await tx.one_time_links.use(hashOf(token, sha256), caller.now_ms);
  if (link === null) return null;
  const card = await tx.cards.find(link.company_id, link.card_id);
  if (card === null || card.status === 'Canceled') return null;
  const call = { company_id: link.company_id, actor: `one_time_link:${link.id}`, ...caller };
  const revealed = (await revealNumbers(tx, { vault }, call, [card])).get(card.id)!;
  return { rcn_alias: card.rcn_alias, expiry: card.expiry, ...revealed };
}

function hashOf(token: string, sha256: Sha256): Uint8Array {
  return sha256(new TextEncoder().encode(token));
}
