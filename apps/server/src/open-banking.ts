import type { UserLogin } from '@tallystick/consents';
import type { Clock } from '@tallystick/kernel';
import { createCertificateReader, type OpenBankingPorts } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Vault } from '@tallystick/vault';
import type { Logger } from 'pino';
import type { Config } from './configuration/config.ts';
import { loadUserLogin, no_user_login } from './configuration/user-login.ts';
import { sandboxUserLogin } from './sandbox/user-login.ts';

/** The parts that Open Banking is composed of. */
export interface OpenBankingParts {
  readonly config: Pick<Config, 'sandbox' | 'bank_name' | 'certificate_proxies'>;
  readonly persistence: Pick<Persistence, 'unitOfWork'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly refresh: () => Promise<void>;
  readonly users: UserLogin;
  readonly logger: Logger;
  /** The public address of the service. */
  readonly publicUrl: () => string;
}

/** Open Banking with its authorisation server, which only processes that serve it load. */
export async function createOpenBanking(parts: OpenBankingParts): Promise<OpenBankingPorts> {
  const { config, persistence, vault, clock, refresh, users, logger, publicUrl } = parts;
  const certificateOf = createCertificateReader(config.certificate_proxies);
  const { sealer, sha256, random, signing_keys, cookie_keys } = vault;
  const { createAuthorisationServer } = await import('@tallystick/oidc');
  const authorisation = createAuthorisationServer({
    unitOfWork: persistence.unitOfWork,
    clock,
    refreshClock: config.sandbox ? refresh : undefined,
    sealer,
    sha256,
    random,
    issuer: publicUrl,
    signing_keys,
    cookie_keys,
    users,
    bank_name: config.bank_name,
    sandbox: config.sandbox,
    certificateOf,
    log: logger,
  });
  return { authorisation, baseUrl: publicUrl, certificateOf };
}

/** Who authenticates the bank's users: the configured module, else the sandbox. */
export async function openUserLogin(
  { user_login_module, sandbox }: Pick<Config, 'user_login_module' | 'sandbox'>,
  { unitOfWork }: Pick<Persistence, 'unitOfWork'>,
): Promise<UserLogin> {
  if (user_login_module !== null) return await loadUserLogin(user_login_module);
  return sandbox ? sandboxUserLogin(unitOfWork) : no_user_login;
}
