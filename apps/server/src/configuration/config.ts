import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { rate_limit_max } from '@tallystick/access';
import { authorizations_kept_days_min } from '@tallystick/cards';
import { nearestName, Refusal } from '@tallystick/kernel';
import { connections_max_default, findProxyProblem } from '@tallystick/koa';
import { parseSender, parseSmtpServer } from '@tallystick/mail';
import { database_connections_min, readPostgresTls } from '@tallystick/mikro-orm';
import { statement_key_settings } from '@tallystick/reconciliation';
import { createKeyRingText, type KeyRing, parseKeyRing } from '@tallystick/vault';
import { addressGuard, loopback_networks } from '@tallystick/webhook-client';
import {
  dataFolderOf,
  default_database_url,
  default_settings,
  isLoopback,
  isSqlite,
  parsePublicUrl,
  type Role,
  type Settings,
  sandbox_bank_name,
  sandbox_sender,
} from 'tallystick/inversify';
import { z } from 'zod';
import { default_host, default_port } from '../parse-options.ts';
import { wrapText } from '../terminal-text.ts';
import { type KeySetting, key_settings, readKeyFile, runKeyCommand, UnreadableKeys } from './key-source.ts';

/** The checked settings of the environment. Times in milliseconds. */
export interface Config extends Settings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Where messages of the card network are received apart from everything else; null: with it. */
  readonly network: { readonly host: string; readonly port: number } | null;
  /** The setting from which the key ring was read; null: the sandbox has its own. */
  readonly key_setting: KeySetting | null;
  readonly log_level: LogLevel;
  /** The queue between processes; null: this process sends its own deliveries. */
  readonly redis_url: string | null;
  /** A file with the authority of the certificate of Redis; null: those that Node trusts. */
  readonly redis_ca: string | null;
  /** The module that authenticates the bank's users; null: the sandbox has its own, others none. */
  readonly user_login_module: string | null;
  /** The files with which the server terminates TLS; null: it serves plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly connections_max: number;
  /** JSON files with profiles of CSV files. */
  readonly csv_profiles: readonly string[];
  readonly format_modules: readonly string[];
  /** How long a shutdown may take before it is forced. */
  readonly shutdown_ms_max: number;
  /** Notes for the operator that are not problems. */
  readonly notices: readonly string[];
}

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  /** The authorities of client certificates; null: none is requested. */
  readonly client_ca: string | null;
}

const roles = ['all', 'api', 'worker'] as const satisfies readonly Role[];

const log_levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof log_levels)[number];

/** A problem with one variable, or with a few together. Never shows key material. */
export interface ConfigProblem {
  readonly variable: string;
  readonly message: string;
}

/** The environment is invalid. Contains every problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(
      [
        'The configuration cannot be used:',
        ...problems.map((p) => wrapText(p.message, `  ${p.variable}: `, '    ')),
      ].join('\n'),
    );
    this.problems = problems;
  }
}

const defaults = {
  ...default_settings,
  host: default_host,
  port: default_port,
  /**
   * A worker's port serves only health and metrics. It differs from the port of an API on the same
   * machine.
   */
  worker_port: 8081,
  database_url: default_database_url,
  log_level: 'info',
  connections_max: connections_max_default,
  shutdown_ms_max: 25_000,
} as const;

const integer = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: (issue) => `is "${issue.input}"; it must be an integer from ${min} to ${max}`,
    })
    .transform(Number);

const onOrOff = z.enum(['on', 'off'], { error: (issue) => `is "${issue.input}"; it must be on or off` });

const day = z.iso.date({ error: (issue) => `is "${issue.input}"; it must be a date, YYYY-MM-DD` });

const path = z.string().transform((text) => resolve(text.trim()));

const paths = z.string().transform((list) => list.split(',').map((path) => resolve(path.trim())));

const networks = z
  .string()
  .transform((list) => list.split(',').map((network) => network.trim()))
  .refine((list) => list.every(isNetwork), { error: 'must be networks such as 10.1.0.0/16,fd00::/8' });

const proxies = networks.refine((list) => findProxyProblem(list.filter(isNetwork)) === null, {
  error: (issue) => findProxyProblem(issue.input as string[]) ?? '',
});

/** A retention time. Its least value leaves time for what refers to the rows. */
const keptDays = (min: number) => integer(min, 36_500);

const schema = z.object({
  HOST: z.string().default(defaults.host),
  PORT: integer(0, 65_535).optional(),
  NETWORK_HOST: z.string().optional(),
  NETWORK_PORT: integer(0, 65_535).optional(),
  ROLE: z
    .enum(roles, { error: (issue) => `is "${issue.input}"; it must be one of ${roles.join(', ')}` })
    .default('all'),
  DATABASE_URL: z
    .string()
    .refine((url) => isSqlite(url) || isPostgres(url), {
      error: 'must be sqlite:<file> or postgres://<user>@<host>:<port>/<database>',
      abort: true,
    })
    .transform(readBy(checkedTls))
    .default(defaults.database_url),
  DATA_FOLDER: z.string().optional(),
  SANDBOX: onOrOff.optional(),
  TALLYSTICK_KEYS: z.string().optional(),
  TALLYSTICK_KEYS_FILE: z.string().optional(),
  TALLYSTICK_KEYS_COMMAND: z.string().optional(),
  LOG_LEVEL: z
    .enum(log_levels, { error: (issue) => `is "${issue.input}"; it must be one of ${log_levels.join(', ')}` })
    .default(defaults.log_level),
  TEMPLATE_COMPLETION_DELAY_MS: integer(0, 86_400_000).default(defaults.template_completion_delay_ms),
  REDIS_URL: z
    .string()
    .refine((url) => /^rediss?:$/.test(URL.parse(url)?.protocol ?? ''), { error: 'must be redis://<host>:<port>' })
    .optional(),
  REDIS_CA: path.optional(),
  WEBHOOKS: onOrOff.default('on'),
  NEWER_SCHEMA: z
    .enum(['refuse', 'accept'], { error: (issue) => `is "${issue.input}"; it must be refuse or accept` })
    .default('refuse'),
  WEBHOOK_NETWORKS: networks.optional(),
  SMTP_URL: z.string().transform(readBy(parseSmtpServer)).optional(),
  MAIL_FROM: z.string().transform(readBy(parseSender)).optional(),
  PUBLIC_URL: z.string().transform(readBy(parsePublicUrl)).optional(),
  USER_LOGIN_MODULE: path.optional(),
  CONSOLE: onOrOff.optional(),
  CONSOLE_ISSUER: z
    .string()
    .refine(isProviderUrl, { error: 'must be the https URL of the OpenID provider, as its id tokens name it' })
    .optional(),
  CONSOLE_CLIENT_ID: z.string().optional(),
  CONSOLE_CLIENT_SECRET: z.string().optional(),
  BANK_NAME: z
    .string()
    .trim()
    .regex(/^\P{C}{1,100}$/u, { error: 'must be a name of 1 to 100 characters, without control characters' })
    .optional(),
  TLS_CERTIFICATE: path.optional(),
  TLS_KEY: path.optional(),
  TLS_CLIENT_CA: path.optional(),
  CLIENT_CERTIFICATE_HEADER: z
    .string()
    .regex(/^(?=.*cert)[a-z0-9-]{1,64}$/i, {
      error: (issue) => `is "${issue.input}"; it must be the name of a header for certificates, such as X-Client-Cert`,
    })
    .optional(),
  TRUSTED_PROXIES: proxies.optional(),
  V1_DEPRECATED_ON: day.optional(),
  V1_SUNSET_ON: day.optional(),
  V1_SUCCESSOR: z
    .string()
    .refine((url) => URL.parse(url)?.protocol === 'https:', { error: 'must be an https URL' })
    // Its form in a header: without spaces and angle brackets.
    .transform((url) => new URL(url).href)
    .optional(),
  RATE_LIMIT_PER_MINUTE: integer(1, rate_limit_max).optional(),
  NETWORK_WAIT_MS_MAX: integer(1, 60_000).default(defaults.network_wait_ms_max),
  DECISION_MS_MAX: integer(1, 60_000).default(defaults.decision_ms_max),
  REQUESTS_MAX: integer(1, 1_000_000).default(defaults.requests_max),
  BODIES_BYTES_MAX: integer(2 * 1024 * 1024, 64 * 1024 ** 3).default(defaults.bodies_bytes_max),
  CONNECTIONS_MAX: integer(1, 1_000_000).default(defaults.connections_max),
  DATABASE_CONNECTIONS_MAX: integer(database_connections_min, 1_000).default(defaults.database_connections_max),
  UNKNOWN_NUMBERS_KEPT_DAYS: integer(1, 36_500).default(defaults.unknown_numbers_kept_days),
  EVENTS_KEPT_DAYS: keptDays(7).optional(),
  AUTHORIZATIONS_KEPT_DAYS: keptDays(authorizations_kept_days_min).optional(),
  DELIVERIES_KEPT_DAYS: keptDays(1).default(defaults.kept_days.deliveries),
  CONSENTS_KEPT_DAYS: keptDays(1).default(defaults.kept_days.consents),
  MAILS_KEPT_DAYS: keptDays(1).default(defaults.kept_days.mails),
  AUDIT_KEPT_DAYS: keptDays(30).optional(),
  ARCHIVE_FOLDER: z.string().optional(),
  SPOOL_FOLDER: z.string().default(tmpdir()),
  STATEMENT_KEY: z
    .enum(statement_key_settings, {
      error: (issue) => `is "${issue.input}"; it must be ${statement_key_settings.join(' or ')}`,
    })
    .default(defaults.statement_key),
  CSV_PROFILES: paths.optional(),
  CLEARING_FORMATS: paths.optional(),
  SHUTDOWN_MS_MAX: integer(1, 600_000).default(defaults.shutdown_ms_max),
});

export const variable_names: readonly string[] = [...Object.keys(schema.shape), 'NODE_ENV'];

/**
 * Reads the environment. An empty variable counts as absent. Throws a `ConfigError` with every
 * problem.
 *
 * The sandbox is on if it is requested explicitly, or if neither a database nor keys are
 * configured. In the second case it starts only on loopback, and never if `NODE_ENV` is
 * `production`.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  const keys = readKeys(given);
  const problems: ConfigProblem[] = [
    ...keys.problems,
    ...unknownVariables(given),
    ...findSandboxProblems(given),
    ...findRoleProblems(given),
    ...findNetworkPortProblems(given),
    ...findMailProblems(given),
    ...findConsoleProblems(given),
    ...findDeprecationProblems(given),
    ...findTlsProblems(given),
    ...findBackendTlsProblems(given),
  ];
  if (!parsed.success) {
    problems.unshift(
      ...parsed.error.issues.map((issue) => ({ variable: String(issue.path[0]), message: issue.message })),
    );
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);

  const values = parsed.data;
  return {
    host: values.HOST,
    port: values.PORT ?? (values.ROLE === 'worker' ? defaults.worker_port : defaults.port),
    network:
      values.NETWORK_PORT === undefined
        ? null
        : { host: values.NETWORK_HOST ?? values.HOST, port: values.NETWORK_PORT },
    role: values.ROLE,
    database_url: values.DATABASE_URL,
    data_folder: resolve(values.DATA_FOLDER ?? dataFolderOf(values.DATABASE_URL)),
    sandbox: isSandboxWanted(given),
    // A sandbox in memory forgets its keys with its data: it leaves no file.
    key_ring: keys.ring ?? (values.DATABASE_URL === 'sqlite::memory:' ? parseKeyRing(createKeyRingText()) : null),
    key_setting: keySettings(given)[0] ?? null,
    log_level: values.LOG_LEVEL,
    redis_url: values.REDIS_URL ?? null,
    redis_ca: values.REDIS_CA ?? null,
    webhooks: values.WEBHOOKS === 'on',
    accepts_newer_schema: values.NEWER_SCHEMA === 'accept',
    webhook_networks:
      values.WEBHOOK_NETWORKS ?? // In a sandbox, programs on the developer's machine.
      (isSandboxWanted(given) ? loopback_networks : []),
    smtp: values.SMTP_URL ?? null,
    mail_from: values.MAIL_FROM ?? sandbox_sender,
    public_url: values.PUBLIC_URL ?? null,
    open_banking: isOpenBankingServed(given),
    user_login_module: values.USER_LOGIN_MODULE ?? null,
    console: values.CONSOLE === undefined ? isSandboxWanted(given) : values.CONSOLE === 'on',
    console_provider: providerOf(values),
    bank_name: values.BANK_NAME ?? (isSandboxWanted(given) ? sandbox_bank_name : defaults.bank_name),
    tls:
      values.TLS_CERTIFICATE === undefined || values.TLS_KEY === undefined
        ? null
        : { certificate: values.TLS_CERTIFICATE, key: values.TLS_KEY, client_ca: values.TLS_CLIENT_CA ?? null },
    trusted_proxies: values.TRUSTED_PROXIES ?? [],
    certificate_header: values.CLIENT_CERTIFICATE_HEADER?.toLowerCase() ?? null,
    template_completion_delay_ms: values.TEMPLATE_COMPLETION_DELAY_MS,
    v1_deprecation:
      values.V1_DEPRECATED_ON === undefined
        ? null
        : {
            deprecated_on: values.V1_DEPRECATED_ON,
            sunset_on: values.V1_SUNSET_ON ?? null,
            successor: values.V1_SUCCESSOR ?? null,
          },
    rate_limit_per_minute: values.RATE_LIMIT_PER_MINUTE ?? null,
    network_wait_ms_max: values.NETWORK_WAIT_MS_MAX,
    decision_ms_max: values.DECISION_MS_MAX,
    requests_max: values.REQUESTS_MAX,
    bodies_bytes_max: values.BODIES_BYTES_MAX,
    connections_max: values.CONNECTIONS_MAX,
    database_connections_max: values.DATABASE_CONNECTIONS_MAX,
    unknown_numbers_kept_days: values.UNKNOWN_NUMBERS_KEPT_DAYS,
    kept_days: {
      delivery_attempts: values.DELIVERIES_KEPT_DAYS,
      deliveries: values.DELIVERIES_KEPT_DAYS,
      events: values.EVENTS_KEPT_DAYS ?? null,
      clearings: values.AUTHORIZATIONS_KEPT_DAYS ?? null,
      authorizations: values.AUTHORIZATIONS_KEPT_DAYS ?? null,
      mails: values.MAILS_KEPT_DAYS,
      consents: values.CONSENTS_KEPT_DAYS,
      audit_entries: values.AUDIT_KEPT_DAYS ?? null,
    },
    archive_folder: values.ARCHIVE_FOLDER === undefined ? null : resolve(values.ARCHIVE_FOLDER),
    spool_folder: resolve(values.SPOOL_FOLDER),
    statement_key: values.STATEMENT_KEY,
    csv_profiles: values.CSV_PROFILES ?? [],
    format_modules: values.CLEARING_FORMATS ?? [],
    owns_process: true,
    consults_all: false,
    shutdown_ms_max: values.SHUTDOWN_MS_MAX,
    notices: [...keys.notices, ...notices(given)],
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The parser reports the problem of the text without repeating it, because the text may contain a
 * secret.
 */
function readBy<Value>(parse: (text: string) => Value): (text: string, context: z.RefinementCtx) => Value {
  return (text, context) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      context.addIssue({ code: 'custom', message: error.fields[0]?.message ?? error.message });
      return z.NEVER;
    }
  };
}

function keySettings(given: Environment): readonly KeySetting[] {
  return key_settings.filter((name) => given[name] !== undefined);
}

/** The key ring of the one setting that names it, read once. Never shows key material. */
function readKeys(given: Environment): {
  readonly ring: KeyRing | null;
  readonly problems: readonly ConfigProblem[];
  readonly notices: readonly string[];
} {
  const [variable, other] = keySettings(given);
  const nothing = { ring: null, problems: [], notices: [] };
  if (variable === undefined) return nothing;
  const refused = (message: string) => ({ ...nothing, problems: [{ variable, message }] });
  if (other !== undefined) return refused(`is set beside ${other}; one of them must say where the keys come from`);
  const value = given[variable] as string;
  let origin = '';
  try {
    if (variable === 'TALLYSTICK_KEYS') return { ...nothing, ring: parseKeyRing(value) };
    const read =
      variable === 'TALLYSTICK_KEYS_FILE'
        ? readKeyFile(resolve(value.trim()))
        : { ...runKeyCommand(value, given), notices: [] };
    origin = `${read.origin}: `;
    return { ...nothing, ring: parseKeyRing(read.text), notices: read.notices };
  } catch (error) {
    if (error instanceof UnreadableKeys) return refused(error.message);
    if (!(error instanceof Refusal)) throw error;
    return refused(`${origin}${error.fields[0]?.message ?? error.message}`);
  }
}

function isSandboxWanted(given: Environment): boolean {
  if (given.SANDBOX !== undefined) return given.SANDBOX === 'on';
  return isUnconfigured(given);
}

function isUnconfigured(given: Environment): boolean {
  return given.DATABASE_URL === undefined && keySettings(given).length === 0;
}

function findSandboxProblems(given: Environment): ConfigProblem[] {
  const by_name = given.SANDBOX === 'on';
  if (!isSandboxWanted(given)) {
    if (keySettings(given).length > 0) return [];
    const message =
      'is required outside the sandbox, or TALLYSTICK_KEYS_FILE or TALLYSTICK_KEYS_COMMAND: create it with npm run admin -- keys create, or set SANDBOX=on for the sandbox';
    return [{ variable: 'TALLYSTICK_KEYS', message }];
  }
  if (by_name) return [];
  if (given.NODE_ENV === 'production') {
    const message =
      'the sandbox is refused when NODE_ENV is production: set DATABASE_URL and TALLYSTICK_KEYS, or SANDBOX=on';
    return [{ variable: 'SANDBOX', message }];
  }
  return (['HOST', 'NETWORK_HOST'] as const)
    .filter((variable) => !isLoopback(given[variable] ?? defaults.host))
    .map((variable) => ({
      variable,
      message: `is "${given[variable]}"; the sandbox has public keys, so it listens only on loopback unless SANDBOX=on`,
    }));
}

/** Processes of the two roles communicate over Redis. */
function findRoleProblems({ ROLE: role, REDIS_URL: redis_url }: Environment): ConfigProblem[] {
  if ((role !== 'api' && role !== 'worker') || redis_url !== undefined) return [];
  return [
    {
      variable: 'REDIS_URL',
      message: `is required for the role ${role}: it carries deliveries from API processes to workers`,
    },
  ];
}

/** The requirements of a port for messages of the network only. */
function findNetworkPortProblems(given: Environment): ConfigProblem[] {
  const {
    NETWORK_HOST: network_host,
    NETWORK_PORT: network_port,
    HOST: host,
    PORT: port = String(defaults.port),
  } = given;
  if (network_port === undefined) {
    return network_host === undefined ? [] : [{ variable: 'NETWORK_HOST', message: 'needs NETWORK_PORT' }];
  }
  if (given.ROLE === 'worker') {
    return [{ variable: 'NETWORK_PORT', message: 'is not for the role worker, which receives no messages' }];
  }
  const is_same = network_port === port && port !== '0' && (network_host ?? host) === host;
  return is_same ? [{ variable: 'NETWORK_PORT', message: 'must differ from PORT' }] : [];
}

/** The requirements of mails: a sender, and outside the sandbox an address for their links. */
function findMailProblems(given: Environment): ConfigProblem[] {
  if (given.SMTP_URL === undefined) return [];
  const problems: ConfigProblem[] = [];
  if (given.MAIL_FROM === undefined) {
    problems.push({ variable: 'MAIL_FROM', message: 'is required with SMTP_URL: the address of the sender' });
  }
  if (given.PUBLIC_URL === undefined && (!isSandboxWanted(given) || given.ROLE === 'worker')) {
    const message = 'is required with SMTP_URL: the https address for links in mails';
    problems.push({ variable: 'PUBLIC_URL', message });
  }
  return problems;
}

/** Only a provider on this machine, for development, may lack https. */
function isProviderUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

function providerOf(values: {
  readonly CONSOLE_ISSUER?: string | undefined;
  readonly CONSOLE_CLIENT_ID?: string | undefined;
  readonly CONSOLE_CLIENT_SECRET?: string | undefined;
}): Config['console_provider'] {
  const { CONSOLE_ISSUER: issuer, CONSOLE_CLIENT_ID: client_id, CONSOLE_CLIENT_SECRET: client_secret = null } = values;
  if (issuer === undefined || client_id === undefined) return null;
  return { issuer, client_id, client_secret };
}

/** A provider needs a client of it, and the address to which it sends people back. */
function findConsoleProblems(given: Environment): ConfigProblem[] {
  const variables = ['CONSOLE_ISSUER', 'CONSOLE_CLIENT_ID', 'CONSOLE_CLIENT_SECRET'];
  const [present] = variables.filter((variable) => given[variable] !== undefined);
  if (present === undefined) return [];
  if (isSandboxWanted(given)) {
    return [{ variable: present, message: 'has no use in a sandbox, whose console is entered by one click' }];
  }
  return ['CONSOLE_ISSUER', 'CONSOLE_CLIENT_ID', 'PUBLIC_URL']
    .filter((variable) => given[variable] === undefined)
    .map((variable) => ({ variable, message: `is required with ${present}` }));
}

/** An end and a successor belong to a deprecation, and the end is not before it (RFC 9745). */
function findDeprecationProblems(given: Environment): ConfigProblem[] {
  const { V1_DEPRECATED_ON: deprecated_on, V1_SUNSET_ON: sunset_on } = given;
  if (deprecated_on === undefined) {
    return ['V1_SUNSET_ON', 'V1_SUCCESSOR']
      .filter((variable) => given[variable] !== undefined)
      .map((variable) => ({ variable, message: 'needs V1_DEPRECATED_ON: the date of the deprecation' }));
  }
  if (sunset_on === undefined || sunset_on >= deprecated_on) return [];
  return [{ variable: 'V1_SUNSET_ON', message: `is before V1_DEPRECATED_ON, ${deprecated_on}` }];
}

/** The requirements of TLS to Postgres and to Redis. */
function findBackendTlsProblems(given: Environment): ConfigProblem[] {
  const { DATABASE_URL = '', PGSSLMODE, REDIS_CA, REDIS_URL = '' } = given;
  const problems: ConfigProblem[] = [];
  if (REDIS_CA !== undefined && !REDIS_URL.startsWith('rediss:')) {
    problems.push({ variable: 'REDIS_CA', message: 'needs REDIS_URL with rediss://: redis:// has no TLS' });
  }
  if (PGSSLMODE !== undefined && isPostgres(DATABASE_URL) && !/[?&]sslmode=/.test(DATABASE_URL)) {
    problems.push({ variable: 'PGSSLMODE', message: 'is not used: write sslmode=... into DATABASE_URL' });
  }
  return problems;
}

/** The requirements of TLS and of client certificates. */
function findTlsProblems(given: Environment): ConfigProblem[] {
  const needs: readonly (readonly [string, string, string])[] = [
    ['TLS_KEY', 'TLS_CERTIFICATE', 'the private key of the certificate'],
    ['TLS_CERTIFICATE', 'TLS_KEY', 'the certificate of the key'],
    ['TLS_CERTIFICATE', 'TLS_CLIENT_CA', 'only a server that terminates TLS sees client certificates'],
    ['TRUSTED_PROXIES', 'CLIENT_CERTIFICATE_HEADER', 'anyone else could send the header'],
  ];
  return needs
    .filter(([variable, because_of]) => given[because_of] !== undefined && given[variable] === undefined)
    .map(([variable, because_of, reason]) => ({ variable, message: `is required with ${because_of}: ${reason}` }));
}

/**
 * The issuer of tokens must not change, so an installation names it. It has no path, because the
 * endpoints of the authorisation server are at the root.
 */
function isOpenBankingServed(given: Environment): boolean {
  const { PUBLIC_URL } = given;
  if (given.ROLE === 'worker' || (PUBLIC_URL !== undefined && hasPath(PUBLIC_URL))) return false;
  return isSandboxWanted(given) || PUBLIC_URL !== undefined;
}

function hasPath(public_url: string): boolean {
  return URL.parse(public_url)?.pathname !== '/';
}

/** An unknown variable is refused, because a misspelt one would silently become a default. */
function unknownVariables(given: Environment): ConfigProblem[] {
  return Object.keys(given)
    .filter(
      (name) =>
        name.startsWith('TALLYSTICK_') && !name.startsWith('TALLYSTICK_TEST_') && !variable_names.includes(name),
    )
    .map((variable) => {
      const nearest = nearestName(variable, variable_names);
      const hint = nearest === null ? `known: ${variable_names.join(', ')}` : `did you mean ${nearest}?`;
      return { variable, message: `no such variable; ${hint}` };
    });
}

function notices(given: Environment): string[] {
  const lines: string[] = [];
  for (const host of [given.HOST, given.NETWORK_HOST]) {
    if (!isSandboxWanted(given) || isLoopback(host ?? defaults.host)) continue;
    lines.push(`The sandbox has public keys and listens on ${host}: keep it off public networks.`);
  }
  if (given.WEBHOOKS === 'off') lines.push('WEBHOOKS=off: no webhook is delivered. Deliveries wait until it is on.');
  if (!isSandboxWanted(given) && given.SMTP_URL === undefined) {
    lines.push('SMTP_URL is not set: mails about cards wait until it is set.');
  }
  if (given.PUBLIC_URL !== undefined && hasPath(given.PUBLIC_URL) && given.ROLE !== 'worker') {
    lines.push('PUBLIC_URL has a path: Open Banking is off, because its addresses are at the root of the issuer.');
  } else if (!isSandboxWanted(given) && given.ROLE !== 'worker') {
    if (given.PUBLIC_URL === undefined) {
      lines.push('PUBLIC_URL is not set: Open Banking is off, because it is the issuer of its tokens.');
    } else if (given.USER_LOGIN_MODULE === undefined) {
      lines.push('USER_LOGIN_MODULE is not set: no user of the bank can authorise a consent of Open Banking.');
    }
  }
  return [...lines, ...misspelt(given)];
}

/** Shorter names of other programs resemble ours by chance. */
const misspelt_length_min = 7;

/**
 * A misspelt WEBHOOKS would send the webhooks of a restored copy. Variables of other programs are
 * ignored.
 */
function misspelt(given: Environment): string[] {
  return Object.keys(given)
    .filter((name) => name.length >= misspelt_length_min && /^[A-Z_]+$/.test(name) && !variable_names.includes(name))
    .flatMap((name) => {
      const nearest = nearestName(name, variable_names);
      return nearest === null
        ? []
        : [`${name} is not a variable of the server, and is ignored; did you mean ${nearest}?`];
    });
}

function isNetwork(text: string): boolean {
  try {
    addressGuard([text]);
    return true;
  } catch {
    return false;
  }
}

function isPostgres(database_url: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(database_url)?.protocol ?? '');
}

function checkedTls(database_url: string): string {
  if (isPostgres(database_url)) readPostgresTls(database_url);
  return database_url;
}
