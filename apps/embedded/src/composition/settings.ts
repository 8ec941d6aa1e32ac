import type { OpenIdSettings } from '@tallystick/console';
import type { RetentionKind } from '@tallystick/kernel';
import type { Deprecation } from '@tallystick/koa';
import type { Sender, SmtpServer } from '@tallystick/mail';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import type { KeyRing } from '@tallystick/vault';

/** The work of a process: serve the interface, send deliveries, or both. */
export type Role = 'all' | 'api' | 'worker';

export function isSqlite(database_url: string): boolean {
  return /^sqlite:./.test(database_url);
}

/** The settings that the modules read. Times in milliseconds. */
export interface Settings {
  readonly role: Role;
  /** `sqlite:<file>`, `sqlite::memory:` or `postgres://...`. */
  readonly database_url: string;
  /** The host's own handle, in place of the address. */
  readonly database?: object | undefined;
  /** Postgres: the schema of the tables. */
  readonly schema?: string | undefined;
  /** Postgres: the most connections of this process. */
  readonly database_connections_max: number;
  /** Where a sandbox stores its keys. */
  readonly data_folder: string;
  readonly sandbox: boolean;
  /** Null: the sandbox creates its own. */
  readonly key_ring: KeyRing | null;
  /** False: webhooks are not delivered. Deliveries are made and wait. */
  readonly webhooks: boolean;
  /** Whether to open a database that a newer version has migrated, for a rollback. */
  readonly accepts_newer_schema: boolean;
  /** Networks, in addition to the public ones, to which webhooks may be sent, as CIDR. */
  readonly webhook_networks: readonly string[];
  /**
   * The mail server; null: a sandbox stores mails in its mailbox, and other installations keep
   * them waiting.
   */
  readonly smtp: SmtpServer | null;
  readonly mail_from: Sender;
  /**
   * The public address of the service, for links in mails and as the issuer of tokens; null: where
   * it listens.
   */
  readonly public_url: string | null;
  /** Whether Open Banking is served: an installation without a public address has no issuer. */
  readonly open_banking: boolean;
  /** Whether the console is served beside the interface. */
  readonly console: boolean;
  /** Where people of the console log in, besides by password; null: nowhere. */
  readonly console_provider: OpenIdSettings | null;
  readonly bank_name: string;
  /**
   * The networks of the proxies, as CIDR. What they say of a client is believed: its address
   * (`X-Forwarded-For`) and its certificate.
   */
  readonly trusted_proxies: readonly string[];
  /** The header in which they pass a client certificate on, lower-case; null: none. */
  readonly certificate_header: string | null;
  /** Time from the request of a template to its completion. */
  readonly template_completion_delay_ms: number;
  /** Requests per minute of a key without a limit of its own; null: unlimited. */
  readonly rate_limit_per_minute: number | null;
  /** What the operator announces about the virtual card interface; null: nothing. */
  readonly v1_deprecation: Deprecation | null;
  /** How long a network message waits for its pass at most (ADR 0020). */
  readonly network_wait_ms_max: number;
  /** The time from the arrival of a network message to its deadline (ADR 0022). */
  readonly decision_ms_max: number;
  /** The most API requests in progress. */
  readonly requests_max: number;
  /** The most bytes of all bodies, and of all unread answers (ADR 0024). */
  readonly bodies_bytes_max: number;
  /** How long messages about unknown card numbers are kept. */
  readonly unknown_numbers_kept_days: number;
  /** How long the rows of each kind are kept; null: for ever. */
  readonly kept_days: Readonly<Record<RetentionKind, number | null>>;
  /** Where rows are written before they are removed; null: nowhere. */
  readonly archive_folder: string | null;
  /** Where uploads are kept until they were read whole. */
  readonly spool_folder: string;
  /** How statement lines find their clearings. */
  readonly statement_key: StatementKeySetting;
  /**
   * Whether the process is ours and not that of a host. The metrics then have those of the process,
   * and a transaction on SQLite gives way to other work while it holds the write lock.
   */
  readonly owns_process: boolean;
  /** Whether a function of the host decides, for every company. */
  readonly consults_all: boolean;
}
