import type { BankData } from '@tallystick/accounts';
import type { CardVault, Mailer, OnAuthorization, StandInRule } from '@tallystick/cards';
import type { UserLogin } from '@tallystick/consents';
import type { DeliveryQueue, WebhookSender } from '@tallystick/events';
import type { ClearingFormat } from '@tallystick/imports';
import type { Clock, RowArchive } from '@tallystick/kernel';

/** What distinguishes a `Pool` of pg from other objects. */
export interface PgPoolHandle {
  readonly totalCount: number;
  readonly options: object;
  connect(): Promise<object>;
}

/** What distinguishes a `Database` of better-sqlite3 from other objects. */
export interface SqliteHandle {
  readonly memory: boolean;
  readonly name: string;
  readonly open: boolean;
  pragma(source: string): unknown;
}

/** What an instance is made of. Only `keys` is required, and not in a sandbox. */
export interface TallystickOptions {
  /**
   * `sqlite:<file>`, `sqlite::memory:` or `postgres://...`; or the host's own handle: a `pg` Pool or
   * a better-sqlite3 Database. Of a pool and of a database in a file, connections of our own are
   * opened with the same settings; a database in memory is shared. `close` never closes a handle.
   * When absent: `sqlite::memory:` in a sandbox, else `sqlite:./data/tallystick.db`.
   */
  readonly database?: string | PgPoolHandle | SqliteHandle | undefined;
  /** Postgres: the schema of the tables, which `migrate` creates; `public` when absent. */
  readonly schema?: string | undefined;
  /**
   * Postgres: the most connections of this instance, all in all; 15 when absent, at least 3. When
   * the server gives fewer, work waits for those that can be had.
   */
  readonly database_connections_max?: number | undefined;
  /**
   * The keys that encrypt card numbers and secrets: the text that `createKeys` returned once. Keep
   * it where you keep other secrets: without it, no stored number can be read. When absent, a sandbox
   * makes its own, in the file `keys` beside the SQLite file or in `./data`; one in memory keeps none.
   */
  readonly keys?: string | undefined;
  /**
   * True: a sandbox for tests and development, with a company, a real card, bank data, and a clock
   * that can be moved. False when absent.
   */
  readonly sandbox?: boolean | undefined;
  /** The time of decisions, windows and holds; the machine's when absent. Not in a sandbox. */
  readonly clock?: Clock | undefined;
  /** The parts that the host replaces. */
  readonly ports?: TallystickPorts | undefined;
  /** Warnings and errors on standard error when absent. A `pino` logger fits. */
  readonly logger?: TallystickLogger | undefined;
  /**
   * The address under which the host serves the HTTP interface, with its prefix: for links in mails.
   * Without a path it is also the issuer of Open Banking, which is served only then.
   */
  readonly public_url?: string | undefined;
  /** The mail server, `smtps://user:password@host`, and the sender. Not with `ports.mailer`. */
  readonly mail?: { readonly smtp_url: string; readonly from: string } | undefined;
  /** False: webhooks are not delivered. Deliveries are made and wait. True when absent. */
  readonly webhooks?: boolean | undefined;
  /** Networks, in addition to the public ones, to which webhooks may be sent, as CIDR. */
  readonly webhook_networks?: readonly string[] | undefined;
  /**
   * The proxies in front of the host, as CIDR. They say in `X-Forwarded-For` which address a request
   * comes from. None when absent.
   */
  readonly trusted_proxies?: readonly string[] | undefined;
  /** The name of the bank on the pages of its users; `Your bank` when absent. */
  readonly bank_name?: string | undefined;
  /** Whether to use a database that a newer version has migrated, for a return to this version. */
  readonly accepts_newer_schema?: boolean | undefined;
  /** How long a message of the network waits for its pass at most, milliseconds; 1,000. */
  readonly network_wait_ms_max?: number | undefined;
  /** The time from the arrival of a network message to its deadline, milliseconds; 5,000. */
  readonly decision_ms_max?: number | undefined;
  /** Time from the request of a purchase template to its completion, milliseconds; 5,000. */
  readonly template_completion_delay_ms?: number | undefined;
  /** Requests a minute of an API key without a limit of its own; no limit when absent. */
  readonly rate_limit_per_minute?: number | undefined;
  /** The most requests over HTTP in progress; 512 when absent. */
  readonly requests_max?: number | undefined;
  /** The most bytes of all bodies that are received over HTTP; 64 MiB when absent. */
  readonly bodies_bytes_max?: number | undefined;
  /** How statement lines find their clearings: `whole` or `bin+sequence`, the default. */
  readonly statement_key?: 'whole' | 'bin+sequence' | undefined;
  /** How long rows are kept, days; for ever when absent, but 30 for deliveries and mails. */
  readonly kept_days?: KeptDays | undefined;
  /**
   * Decides on each request that a card would approve, in this process: `{ decision: 'approve' }`,
   * `decline`, or `approve_part` with an `amount`. It is asked for every company, and decision
   * endpoints are not. It may be asked twice about one request, with the same `id`. When it rejects
   * or is late, `authorization_stand_in` decides. Every process that decides needs it.
   */
  readonly onAuthorization?: OnAuthorization | undefined;
  /** How long `onAuthorization` may take, milliseconds, 200 to 2,000; 1,500 when absent. */
  readonly authorization_timeout_ms?: number | undefined;
  /** What decides in its place: the first rule that fits. Without one the request is declined. */
  readonly authorization_stand_in?: readonly StandInRule[] | undefined;
}

/** Days for each kind of rows; null: for ever. */
export interface KeptDays {
  readonly events?: number | null | undefined;
  readonly authorizations?: number | null | undefined;
  readonly deliveries?: number | null | undefined;
  readonly mails?: number | null | undefined;
  readonly consents?: number | null | undefined;
  readonly audit_entries?: number | null | undefined;
  /** Messages about unknown card numbers: never for ever; 400 when absent. */
  readonly unknown_numbers?: number | undefined;
}

/**
 * The parts that a host may replace. Each keeps the promise of its doc comment; the suites of
 * `@tallystick/harness` check that. `close` never closes what the host has passed in.
 */
export interface TallystickPorts {
  /** Seals, opens and finds card numbers, and derives their codes. */
  readonly numbers?: CardVault | undefined;
  /** Sends the mails about cards; null: they wait. */
  readonly mailer?: Mailer | null | undefined;
  /** Sends the requests of webhooks. */
  readonly sender?: WebhookSender | undefined;
  /** Carries due deliveries to the processes that send them. */
  readonly delivery_queue?: DeliveryQueue | undefined;
  /** The bank's data for Open Banking: users, accounts, balances, transactions. */
  readonly bank?: BankData | undefined;
  /** Authenticates the users of the bank. */
  readonly user_login?: UserLogin | undefined;
  /** Formats of clearing files and statements, beside those of this version. */
  readonly formats?: readonly ClearingFormat[] | undefined;
  /** Where rows are written before they are removed. */
  readonly archive?: RowArchive | undefined;
}

/** What the library needs of a logger. Card numbers, codes and secrets are never logged. */
export interface TallystickLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
