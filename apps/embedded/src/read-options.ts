import { tmpdir } from 'node:os';
import { rate_limit_max } from '@tallystick/access';
import {
  authorizations_kept_days_min,
  type ConsultationTerms,
  decision_timeout_ms_default,
  decision_timeout_ms_max,
  decision_timeout_ms_min,
  readStandIn,
} from '@tallystick/cards';
import { nearestName, Refusal, RequestFields } from '@tallystick/kernel';
import { findProxyProblem } from '@tallystick/koa';
import { parseSender, parseSmtpServer } from '@tallystick/mail';
import { database_connections_min, readPostgresTls } from '@tallystick/mikro-orm';
import { statement_key_settings } from '@tallystick/reconciliation';
import { createKeyRingText, type KeyRing, parseKeyRing } from '@tallystick/vault';
import { addressGuard, loopback_networks } from '@tallystick/webhook-client';
import { dataFolderOf, default_database_url } from './composition/default-folder.ts';
import { default_settings, sandbox_bank_name, sandbox_sender } from './composition/default-settings.ts';
import { parsePublicUrl } from './composition/public-url.ts';
import { isSqlite, type Settings } from './composition/settings.ts';
import { option_shapes, port_shapes, refuseWrongShapes } from './option-shapes.ts';
import type { KeptDays, TallystickOptions } from './options.ts';
import { UnusableOptions } from './unusable.ts';

type Problem = (message: string) => void;

const in_memory = 'sqlite::memory:';

/** The least time for which rows of each kind are kept, days: longer than what refers to them. */
const kept_days_min: Readonly<Record<keyof KeptDays, number>> = {
  events: 7,
  authorizations: authorizations_kept_days_min,
  deliveries: 1,
  mails: 1,
  consents: 1,
  audit_entries: 30,
  unknown_numbers: 1,
};

/** Checks the options and returns the settings. Throws `UnusableOptions` with every problem. */
export function readOptions(options: TallystickOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new UnusableOptions('createTallystick: the options must be an object, such as { sandbox: true }');
  }
  const problems: string[] = [];
  const problem: Problem = (message) => void problems.push(message);
  refuseWrongShapes(options, problem);
  // What has the wrong type cannot be read further.
  const settings = problems.length > 0 ? null : read(options, problem);
  if (problems.length > 0) throw new UnusableOptions(`createTallystick: ${problems.join('; ')}`);
  return settings as Settings;
}

function read(options: TallystickOptions, problem: Problem): Settings {
  refuseUnknown('', options, option_shapes, problem);
  refuseUnknown('ports.', options.ports ?? {}, port_shapes, problem);
  const sandbox = options.sandbox ?? false;
  refuseContradictions(options, problem);
  readAuthorizationTerms(options, problem);
  const integer = (name: keyof TallystickOptions, min: number, max: number, fallback: number): number =>
    readInteger(name, options[name], { min, max }, problem) ?? fallback;
  const public_url = readBy(options.public_url, 'public_url', parsePublicUrl, problem);
  const networks = options.webhook_networks ?? (sandbox ? loopback_networks : []);
  readBy(networks, 'webhook_networks', addressGuard, problem);
  const { trusted_proxies = [] } = options;
  if (readBy(trusted_proxies, 'trusted_proxies', addressGuard, problem) !== null) {
    const wide = findProxyProblem(trusted_proxies);
    if (wide !== null) problem(`trusted_proxies ${wide}`);
  }
  const { statement_key = default_settings.statement_key } = options;
  if (!statement_key_settings.includes(statement_key)) {
    problem(`statement_key must be ${statement_key_settings.join(' or ')}`);
  }
  return {
    ...default_settings,
    role: 'all',
    ...readDatabase(options, problem),
    database_connections_max: integer(
      'database_connections_max',
      database_connections_min,
      1_000,
      default_settings.database_connections_max,
    ),
    sandbox,
    key_ring: readKeys(options, problem),
    webhooks: options.webhooks ?? true,
    accepts_newer_schema: options.accepts_newer_schema ?? false,
    webhook_networks: networks,
    smtp: readBy(options.mail?.smtp_url, 'mail.smtp_url', parseSmtpServer, problem),
    mail_from: readBy(options.mail?.from, 'mail.from', parseSender, problem) ?? sandbox_sender,
    public_url,
    open_banking: public_url !== null && new URL(public_url).pathname === '/',
    bank_name: options.bank_name ?? (sandbox ? sandbox_bank_name : default_settings.bank_name),
    trusted_proxies,
    certificate_header: null,
    template_completion_delay_ms: integer(
      'template_completion_delay_ms',
      0,
      86_400_000,
      default_settings.template_completion_delay_ms,
    ),
    rate_limit_per_minute: readInteger(
      'rate_limit_per_minute',
      options.rate_limit_per_minute,
      { min: 1, max: rate_limit_max },
      problem,
    ),
    network_wait_ms_max: integer('network_wait_ms_max', 1, 60_000, default_settings.network_wait_ms_max),
    decision_ms_max: integer('decision_ms_max', 1, 60_000, default_settings.decision_ms_max),
    requests_max: integer('requests_max', 1, 1_000_000, default_settings.requests_max),
    bodies_bytes_max: integer('bodies_bytes_max', 2 * 1024 ** 2, 64 * 1024 ** 3, default_settings.bodies_bytes_max),
    ...readKeptDays(options.kept_days ?? {}, problem),
    archive_folder: null,
    spool_folder: tmpdir(),
    statement_key,
    owns_process: false,
    consults_all: options.onAuthorization !== undefined,
  };
}

function refuseUnknown(prefix: string, given: object, known: object, problem: Problem): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const nearest = nearestName(name, Object.keys(known));
    problem(`there is no option ${prefix}${name}${nearest === null ? '' : `; did you mean ${prefix}${nearest}?`}`);
  }
}

/** What applies to `onAuthorization` when it does not answer in time. */
export function readAuthorizationTerms(options: TallystickOptions, problem: Problem): ConsultationTerms {
  const { onAuthorization, authorization_timeout_ms, authorization_stand_in } = options;
  if (onAuthorization !== undefined && typeof onAuthorization !== 'function') {
    problem('onAuthorization must be a function');
  }
  const terms = { authorization_timeout_ms, authorization_stand_in };
  for (const [name, value] of Object.entries(terms)) {
    if (value !== undefined && onAuthorization === undefined) problem(`${name} has no effect without onAuthorization`);
  }
  const fields = new RequestFields(terms);
  const bounds = { min: decision_timeout_ms_min, max: decision_timeout_ms_max };
  const timeout_ms = fields.readInteger('authorization_timeout_ms', bounds) ?? decision_timeout_ms_default;
  const stand_in = readStandIn(fields, 'authorization_stand_in') ?? [];
  for (const { path, message } of fields.problems) problem(`${path} ${message}`);
  return { timeout_ms, stand_in };
}

function refuseContradictions(options: TallystickOptions, problem: Problem): void {
  const { sandbox = false, clock, keys, mail, ports = {}, public_url } = options;
  if (sandbox && clock !== undefined) {
    problem('clock and sandbox exclude each other: a sandbox has a clock of its own, which sandbox.clock.move moves');
  }
  if (!sandbox && keys === undefined) {
    problem('keys is required outside a sandbox: make them once with createKeys() and keep them secret');
  }
  if (mail !== undefined && ports.mailer !== undefined) {
    problem('mail and ports.mailer exclude each other: either sends the mails');
  }
  if (public_url === undefined && !sandbox && (mail !== undefined || ports.mailer)) {
    problem(
      'public_url is required with mails: the https address of the links in them, with the prefix of the handler',
    );
  }
}

type DatabaseSettings = Pick<Settings, 'database_url' | 'data_folder' | 'database' | 'schema'>;

/** The address of the database. A handle of the host is described by the address of its database. */
function readDatabase(options: TallystickOptions, problem: Problem): DatabaseSettings {
  const { database, schema, database_connections_max } = options;
  const database_url = addressOf(options);
  const is_sqlite = isSqlite(database_url);
  if (!is_sqlite && !/^postgres(ql)?:\/\/./.test(database_url)) {
    problem(
      'database must be sqlite:<file>, sqlite::memory:, postgres://<user>@<host>/<database>, a pg Pool or a better-sqlite3 Database',
    );
  }
  if (typeof database === 'string' && !is_sqlite && URL.canParse(database)) {
    readBy(database, 'database', readPostgresTls, problem);
  }
  if (is_sqlite && database_connections_max !== undefined) problem('database_connections_max is for Postgres');
  if (is_sqlite && schema !== undefined) problem('schema is for Postgres');
  return {
    database_url,
    data_folder: dataFolderOf(database_url),
    database: typeof database === 'object' ? database : undefined,
    schema,
  };
}

/** Empty for what is no database. */
function addressOf({ database: given, sandbox = false }: TallystickOptions): string {
  const handle: unknown = given === undefined ? (sandbox ? in_memory : default_database_url) : given;
  if (typeof handle === 'string') return handle;
  if (typeof handle !== 'object' || handle === null) return '';
  if ('memory' in handle && 'name' in handle && 'pragma' in handle) {
    return handle.memory === true ? in_memory : `sqlite:${String(handle.name)}`;
  }
  return 'totalCount' in handle && 'connect' in handle && 'options' in handle ? 'postgres://pool' : '';
}

/** A sandbox in a file or on Postgres keeps its keys in a file; one in memory forgets them. */
function readKeys(options: TallystickOptions, problem: Problem): KeyRing | null {
  const { keys, sandbox = false } = options;
  if (keys !== undefined) return readBy(keys, 'keys', parseKeyRing, problem);
  return sandbox && addressOf(options) === in_memory ? parseKeyRing(createKeyRingText()) : null;
}

function readKeptDays(days: KeptDays, problem: Problem): Pick<Settings, 'kept_days' | 'unknown_numbers_kept_days'> {
  refuseUnknown('kept_days.', days, kept_days_min, problem);
  const { kept_days, unknown_numbers_kept_days } = default_settings;
  const read = <Fallback>(name: keyof KeptDays, fallback: Fallback): number | null | Fallback => {
    const given = days[name];
    if (given === null && name !== 'unknown_numbers') return null;
    return readInteger(`kept_days.${name}`, given, { min: kept_days_min[name], max: 36_500 }, problem) ?? fallback;
  };
  const deliveries = read('deliveries', kept_days.deliveries);
  const authorizations = read('authorizations', kept_days.authorizations);
  return {
    kept_days: {
      delivery_attempts: deliveries,
      deliveries,
      events: read('events', kept_days.events),
      clearings: authorizations,
      authorizations,
      mails: read('mails', kept_days.mails),
      consents: read('consents', kept_days.consents),
      audit_entries: read('audit_entries', kept_days.audit_entries),
    },
    unknown_numbers_kept_days: read('unknown_numbers', unknown_numbers_kept_days) ?? unknown_numbers_kept_days,
  };
}

function readInteger(
  name: string,
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
  problem: Problem,
): number | null {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  problem(`${name} must be an integer from ${min} to ${max}`);
  return null;
}

/** The parser's problem is shown without the value, which may contain a secret. */
function readBy<Text, Value>(
  text: Text | undefined,
  name: string,
  parse: (text: Text) => Value,
  problem: Problem,
): Value | null {
  if (text === undefined) return null;
  try {
    return parse(text);
  } catch (error) {
    const message = error instanceof Refusal ? (error.fields[0]?.message ?? error.message) : (error as Error).message;
    problem(`${name} ${message}`);
    return null;
  }
}
