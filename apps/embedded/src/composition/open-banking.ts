import type { BankData } from '@tallystick/accounts';
import type { UserLogin } from '@tallystick/consents';
import type { Clock } from '@tallystick/kernel';
import { createCertificateReader, type OpenBankingPorts } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { AuthorisationServer } from '@tallystick/oidc';
import type { Vault } from '@tallystick/vault';
import type { DocumentReader } from '@tallystick/webhook-client';
import type { Logger } from 'pino';
import { sandboxUserLogin } from '../sandbox/logins.ts';
import type { Settings } from './settings.ts';

export interface OpenBankingParts {
  readonly settings: Pick<Settings, 'sandbox' | 'bank_name' | 'trusted_proxies' | 'certificate_header'>;
  readonly persistence: Pick<Persistence, 'unitOfWork'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly machine_clock: Clock;
  readonly refresh: () => Promise<void>;
  readonly users: UserLogin;
  /** Null: as the bank has reported it to the database. */
  readonly bank: BankData | null;
  readonly logger: Logger;
  readonly documents: Pick<DocumentReader, 'read'>;
  /** The public address of the service. */
  readonly publicUrl: () => string;
}

export interface OpenBanking extends OpenBankingPorts {
  readonly authorisation: AuthorisationServer;
}

/** Open Banking with its authorisation server, which only processes that serve it load. */
export async function createOpenBanking(parts: OpenBankingParts): Promise<OpenBanking> {
  const { settings, persistence, vault, clock, machine_clock, refresh, users, bank, logger, documents, publicUrl } =
    parts;
  const { certificate_header: header, trusted_proxies: networks } = settings;
  const certificateOf = createCertificateReader(header === null ? null : { header, networks });
  const { sealer, sha256, random, signing_keys, cookie_keys } = vault;
  const { createAuthorisationServer } = await import('@tallystick/oidc');
  const authorisation = createAuthorisationServer({
    unitOfWork: persistence.unitOfWork,
    clock,
    machine_clock,
    refreshClock: settings.sandbox ? refresh : undefined,
    sealer,
    sha256,
    random,
    issuer: publicUrl,
    signing_keys,
    cookie_keys,
    users,
    bank_name: settings.bank_name,
    sandbox: settings.sandbox,
    certificateOf,
    fetchKeys: documents.read,
    log: logger,
  });
  return { authorisation, ...(bank === null ? {} : { bank }), baseUrl: publicUrl, certificateOf };
}

/** Nobody can log in: the bank has named no way. */
const no_user_login: UserLogin = { authenticate: async () => null };

/** Who authenticates the bank's users unless the app says otherwise: in a sandbox, the sandbox. */
export function openUserLogin(
  { sandbox }: Pick<Settings, 'sandbox'>,
  { unitOfWork }: Pick<Persistence, 'unitOfWork'>,
): UserLogin {
  return sandbox ? sandboxUserLogin(unitOfWork) : no_user_login;
}
