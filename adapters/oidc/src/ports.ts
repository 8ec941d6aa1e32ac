import type { IncomingMessage } from 'node:http';
import type { BankData } from '@tallystick/accounts';
import type { ClientCertificate, ConsentsTx, UserLogin } from '@tallystick/consents';
import type { Clock, Random, Sealer, Sha256, UnitOfWork } from '@tallystick/kernel';

/** The transaction that the server needs. */
export type AuthorisationTx = ConsentsTx & { readonly bank: BankData };

export interface AuthorisationServerPorts {
  readonly unitOfWork: UnitOfWork<AuthorisationTx>;
  /** The bank's data, where a host replaces it; that of the transaction when absent. */
  readonly bank?: BankData;
  /** Service time: the ends of tokens and consents. */
  readonly clock: Clock;
  /** Machine time: the ends of what remembers a used assertion. */
  readonly machine_clock: Clock;
  /** Waits until the clock shows the moves of other processes; absent where none moves it. */
  readonly refreshClock?: (() => Promise<void>) | undefined;
  readonly sealer: Sealer;
  readonly sha256: Sha256;
  readonly random: Random;
  /** The issuer: the public address of the service, without a final slash. Known once it listens. */
  readonly issuer: () => string;
  /** Private P-256 keys as JWK, the newest first. They sign id_tokens and JARM answers by ES256. */
  readonly signing_keys: readonly Readonly<Record<string, string>>[];
  /** Secrets that sign cookies, the newest first. */
  readonly cookie_keys: readonly string[];
  readonly users: UserLogin;
  /** The name of the bank, as its users know it. Every page shows it. */
  readonly bank_name: string;
  /** Whether sandbox clients exist: public secrets, and intents in plain `claims`. */
  readonly sandbox: boolean;
  /** The client certificate of a request; null: it has none. */
  readonly certificateOf: (request: IncomingMessage) => ClientCertificate | null;
  /**
   * Fetches the key set of a third party from its `jwks_uri`, over https and from allowed addresses
   * only, bounded in size and time. Rejects with an `Error` that says why, for the log.
   */
  readonly fetchKeys: (jwks_uri: string) => Promise<Uint8Array<ArrayBuffer>>;
  readonly log: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export function bankOf(ports: Pick<AuthorisationServerPorts, 'bank'>, tx: AuthorisationTx): BankData {
  return ports.bank ?? tx.bank;
}
