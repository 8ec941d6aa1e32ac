import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BankAccount, BankData, BankUser } from '@tallystick/accounts';
import type { ClientCertificate, RequestBounds, ThirdParty } from '@tallystick/consents';
import { fixedClock } from '@tallystick/kernel';
import { memoryPersistence, memoryVault } from '@tallystick/memory';
import { type AuthorisationServer, type AuthorisationServerPorts, createAuthorisationServer } from '@tallystick/oidc';
import { type DatabaseName, migratedDatabase, testAuditMac } from '@tallystick/test-support';
import { addressGuard, documentReader } from '@tallystick/webhook-client';

/** Where the storage of a world is. */
export type WorldStorage = 'memory' | DatabaseName;

export const redirect_uri = 'https://localhost/callback';
export const bank_name = 'Bank of <Tests> & Co';
export const password = 'correct horse';
export const day_ms = 86_400_000;

/** The HTTP interface has the bounds. Here there are none. */
const unbounded: Omit<RequestBounds, 'identify'> = {
  origin: { request_id: 'r-1', source_address: '203.0.113.7' },
  transaction: (work) => work(),
  slowDown: async () => {},
  logIn: (_attempt, work) => work(),
  logInPauseMs: () => 0,
};

/** The header in which a request of a test has its client certificate, as the name of one. */
export const certificate_header = 'x-test-certificate';

export function certificate(name: string): ClientCertificate {
  // The DER form is not looked at: its bytes only have to be those of the thumbprint.
  const der = Buffer.from(`certificate of ${name}`);
  const sha256 = Buffer.from(memoryVault().sha256(der)).toString('base64url');
  return {
    sha256,
    subject: `CN=${name},O=Example`,
    pem: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`,
  };
}

/** One process of the service. */
export interface WorldNode {
  readonly server: AuthorisationServer;
  /** Where it listens. */
  readonly url: string;
}

/** An authorisation server with third parties and users, on one or more nodes. */
export interface World {
  /** The first node is the issuer. */
  readonly nodes: readonly WorldNode[];
  readonly issuer: string;
  readonly unitOfWork: AuthorisationServerPorts['unitOfWork'];
  /** Moves service time. */
  advance(duration_ms: number): void;
  nowMs(): number;
  register(changes?: Partial<ThirdParty>): Promise<ThirdParty>;
  /** The third parties and users that have proved to send a request, request by request. */
  readonly identified: readonly string[];
  /** The faults that the servers logged. */
  readonly logged: readonly string[];
  /** The warnings that the servers logged. */
  readonly warned: readonly string[];
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly storage?: WorldStorage;
  readonly nodes?: number;
  readonly sandbox?: boolean;
  /** The issuer, where a proxy terminates TLS. When absent, where the first node listens. */
  readonly issuer?: string;
  /** When absent, keys are fetched from public addresses only. */
  readonly fetchKeys?: AuthorisationServerPorts['fetchKeys'];
  /** The level of the login. */
  readonly acr?: string;
  /** Called before each transaction of the servers, which fails as this does. */
  readonly beforeTransaction?: () => void;
  /** How long the next attempt to log in waits. When absent, not at all. */
  readonly logInPauseMs?: RequestBounds['logInPauseMs'];
  /** Delays the bank's answer to a log-in. */
  readonly beforeLogin?: () => Promise<void>;
}

function account(id: number, number: string, changes: Partial<BankAccount> = {}): BankAccount {
  return {
    id,
    company_id: 1,
    number,
    currency: 'GBP',
    kind: 'deposit',
    name: `Account ${id}`,
    created_at_ms: 0,
    first_statement: null,
    last_statement: null,
    profile: null,
    ...changes,
  };
}

export const accounts: readonly BankAccount[] = [
  account(1, '1000000001', { name: 'Current account' }),
  account(2, '1000000002', { name: 'Savings <b>' }),
  account(3, 'ceid2000000003', { kind: 'card', name: 'Charge card' }),
];

function user(user_id: string, changes: Partial<BankUser> = {}): BankUser {
  return {
    user_id,
    company_id: 1,
    name: `Name of ${user_id}`,
    status: 'active',
    eligible_services: ['aisp', 'cbpii'],
    configured_services: ['aisp', 'cbpii'],
    may_view_direct_debits: true,
    viewable_accounts: accounts.map(({ number }) => number),
    updated_at_ms: 0,
    ...changes,
  };
}

const users: readonly BankUser[] = [
  user('alice'),
  user('bob'),
  user('many'),
  user('carol', { viewable_accounts: ['1000000002'] }),
  user('frozen', { status: 'frozen' }),
];

/** A bank of a host: the server reads users and accounts only. */
export const bank: BankData = {
  findUser: async (user_id) => users.find((row) => row.user_id === user_id) ?? null,
  findCompany: async (company_id) => ({
    company_id,
    is_active: true,
    eligible_services: ['aisp', 'cbpii'],
    is_configured: true,
  }),
  accountsByNumber: async (numbers) => accounts.filter(({ number }) => numbers.includes(number)),
  findAccount: async (_scheme, identification) => accounts.find(({ number }) => number === identification) ?? null,
} satisfies Partial<BankData> as unknown as BankData;

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { storage = 'memory', nodes: node_count = 1, sandbox = true, logInPauseMs = unbounded.logInPauseMs } = options;
  let offset_ms = 0;
  // Read at each call, as the library does: a test can replace `Date` for both.
  const machine_clock = { nowMs: () => Date.now() };
  const clock = { nowMs: () => machine_clock.nowMs() + offset_ms };
  const closing: (() => Promise<unknown>)[] = [];
  const openUnitOfWork = await unitsOfWork(storage, closing);
  const signing_keys = [signingKey('newest'), signingKey('older')];
  const vault = memoryVault();
  const documents = documentReader({ guard: addressGuard(), refusal_ms: 1 });
  closing.push(() => documents.close());
  const { fetchKeys = documents.read } = options;
  const logged: string[] = [];
  const warned: string[] = [];
  const identified: string[] = [];
  const identify: RequestBounds['identify'] = (caller) => {
    identified.push('user' in caller ? caller.user : caller.third_party);
    return null;
  };
  const logTo =
    (lines: string[]) =>
    (fields: object, message: string): void => {
      lines.push(`${message} ${Object.values(fields).map(String).join(' ')}`);
    };

  let { issuer = '' } = options;
  const nodes: WorldNode[] = [];
  for (let index = 0; index < node_count; index += 1) {
    const server = createAuthorisationServer({
      unitOfWork: withBefore(await openUnitOfWork(), options.beforeTransaction),
      bank,
      clock,
      machine_clock,
      sealer: vault.sealer,
      sha256: vault.sha256,
      random: {
        below: (bound) => Math.floor(Math.random() * bound),
        bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      },
      issuer: () => issuer,
      signing_keys,
      cookie_keys: ['newest cookie key', 'older cookie key'],
      users: {
        ...(options.acr === undefined ? {} : { acr: options.acr }),
        async authenticate({ user_name, password: typed }) {
          await options.beforeLogin?.();
          return typed === password && users.some(({ user_id }) => user_id === user_name) ? user_name : null;
        },
      },
      bank_name,
      sandbox,
      certificateOf,
      fetchKeys,
      log: { error: logTo(logged), warn: logTo(warned) },
    });
    const http = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      if (server.handles(path)) void server.handle(request, response, { ...unbounded, identify, logInPauseMs });
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    closing.unshift(() => closeServer(http));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    if (issuer === '') issuer = url;
    nodes.push({ server, url });
  }
  const unitOfWork = await openUnitOfWork();

  return {
    nodes,
    issuer,
    unitOfWork,
    identified,
    logged,
    warned,
    advance: (duration_ms) => {
      offset_ms += duration_ms;
    },
    nowMs: () => clock.nowMs(),
    register: (changes = {}) => unitOfWork.run((tx) => tx.third_parties.insert(thirdParty(changes))),
    async close() {
      for (const close of closing) await close();
    },
  };
}

let registered = 0;

function thirdParty(changes: Partial<ThirdParty>): Omit<ThirdParty, 'id'> {
  registered += 1;
  const { id: _, ...rest } = changes;
  return {
    client_id: `tpp-${registered}`,
    name: `Third Party ${registered}`,
    scopes: ['accounts'],
    redirect_uris: [redirect_uri],
    jwks: null,
    jwks_uri: null,
    certificate_subject: null,
    id_token_signed_response_alg: 'PS256',
    is_sandbox: true,
    status: 'active',
    created_at_ms: 0,
    ...rest,
  };
}

function signingKey(kid: string): Readonly<Record<string, string>> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>;
  return { ...jwk, kid, alg: 'ES256', use: 'sig' };
}

function certificateOf(request: IncomingMessage): ClientCertificate | null {
  const name = request.headers[certificate_header];
  return typeof name === 'string' ? certificate(name) : null;
}

async function unitsOfWork(
  storage: WorldStorage,
  closing: (() => Promise<unknown>)[],
): Promise<() => Promise<AuthorisationServerPorts['unitOfWork']>> {
  const clock = fixedClock('2026-05-20T12:00:00Z');
  if (storage === 'memory') {
    const persistence = memoryPersistence({ clock });
    closing.push(() => persistence.close());
    return async () => persistence.unitOfWork;
  }
  const database = await migratedDatabase(storage);
  const { mikroOrmPersistence } = await import('@tallystick/mikro-orm');
  let is_migrated = false;
  closing.push(() => database.dispose());
  return async () => {
    const persistence = await mikroOrmPersistence({
      database_url: database.database_url,
      clock,
      audit_mac: testAuditMac,
    });
    closing.unshift(() => persistence.close());
    if (!is_migrated) await persistence.migrate();
    is_migrated = true;
    return persistence.unitOfWork;
  };
}

function withBefore(
  unitOfWork: AuthorisationServerPorts['unitOfWork'],
  before = () => {},
): AuthorisationServerPorts['unitOfWork'] {
  return {
    ...unitOfWork,
    async run(work) {
      before();
      return await unitOfWork.run(work);
    },
    async read(work) {
      before();
      return await unitOfWork.read(work);
    },
  };
}

function closeServer(http: Server): Promise<void> {
  http.closeAllConnections();
  return new Promise((resolve, reject) => http.close((error) => (error ? reject(error) : resolve())));
}

/** Creates a consent of a third party, as its request would. */
export async function newConsent(
  world: World,
  { client_id }: Pick<ThirdParty, 'client_id'>,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  consents_made += 1;
  const consent_id = `consent-${consents_made}`;
  const now_ms = world.nowMs();
  const consent = await world.unitOfWork.run((tx) =>
    tx.consents.insert({
      kind: 'account_access',
      consent_id,
      client_id,
      status: 'AwaitingAuthorisation',
      created_at_ms: now_ms,
      status_updated_at_ms: now_ms,
      expiration_date_time: null,
      expires_at_ms: null,
      user_id: null,
      company_id: null,
      account_numbers: [],
      authorised_at_ms: null,
      withdrawn_at_ms: null,
      stopped_at_ms: null,
      tokens_revoked_at_ms: null,
      tokens_end_at_ms: null,
      decided_ahead: false,
      deleted_at_ms: null,
      permissions: [
        'ReadAccountsBasic',
        'ReadBalances',
        'ReadTransactionsDetail',
        'ReadTransactionsCredits',
        'ReadTransactionsDebits',
      ],
      transaction_from_date_time: null,
      transaction_to_date_time: null,
      ...changes,
    } as Parameters<typeof tx.consents.insert>[0]),
  );
  assert.equal(consent.consent_id, consent_id);
  return consent_id;
}

let consents_made = 0;
