/**
 * A link that shows a company only its webhooks and events in the console:
 *
 *   open ──opened────────────> used: its visit begins
 *   open ──its time passes───> expired
 *
 * The link is opened once. Its visit is a session of an hour. Whoever opens the link has no name, so
 * the link is the actor of what the visit does. Its secret is 256 random bits, of which a SHA-256 is
 * stored, so that neither the database nor a backup of it opens a link.
 */

/** For how long a link can be opened, seconds. */
export const portal_link_s_min = 60;
export const portal_link_s_max = 3_600;
export const portal_link_s_default = 300;

/** A link as stored. Times are epoch milliseconds of the service's clock. */
export interface PortalLink {
  readonly id: number;
  readonly company_id: number;
  /** Its visit changes nothing. */
  readonly read_only: boolean;
  readonly token_sha256: Uint8Array;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  /** When it was opened; null: it was not. */
  readonly used_at_ms: number | null;
}
