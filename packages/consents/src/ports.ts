import type { BankData } from '@tallystick/accounts';
import type { AuditLog, Page, PageRequest, Random } from '@tallystick/kernel';
import type { AuthorisationStore } from './authorisation/authorisation-record.ts';
import type { ThirdParty, ThirdPartyScope } from './authorisation/third-party.ts';
import type { Consent, NewConsent } from './consent/consent.ts';

/** Consents, within a transaction. */
export interface ConsentStore {
  insert(consent: NewConsent): Promise<Consent>;
  /** By its ConsentId, whoever owns it, deleted or not. Null for any other text. */
  find(consent_id: string): Promise<Consent | null>;
  /** The consent as `find` returns it, locked until the transaction ends. */
  lock(consent_id: string): Promise<Consent | null>;
  /** Replaces all but the id. The transaction has locked it. */
  update(consent: Consent): Promise<void>;
  /**
   * Sets `stopped_at_ms` of the `Authorised` consents of a third party that do not have it, and no
   * other field.
   */
  stopOfClient(client_id: string, now_ms: number): Promise<void>;
  /** The consents that a user authorised, also deleted ones, the highest id first. */
  listOfUser(user_id: string, page: PageRequest): Promise<Page<Consent>>;
  /** Those of them that give access now (`hasAccess`), the highest id first. */
  listActiveOfUser(user_id: string, now_ms: number, page: PageRequest): Promise<Page<Consent>>;
  /** The others, the highest id first. */
  listEndedOfUser(user_id: string, now_ms: number, page: PageRequest): Promise<Page<Consent>>;
}

/** Third parties, within a transaction. */
export interface ThirdPartyStore {
  /** Refuses (`conflict`) a client id that another third party has. */
  insert(third_party: Omit<ThirdParty, 'id'>): Promise<ThirdParty>;
  find(id: number): Promise<ThirdParty | null>;
  /** The third party as `find` returns it, locked until the transaction ends. */
  lock(id: number): Promise<ThirdParty | null>;
  /** Null for any other text. */
  findByClientId(client_id: string): Promise<ThirdParty | null>;
  /** Those that exist, in any order. */
  findByClientIds(client_ids: readonly string[]): Promise<readonly ThirdParty[]>;
  /** Replaces all but the id. The transaction has locked it. */
  update(third_party: ThirdParty): Promise<void>;
  /** The highest id first. */
  list(page: PageRequest): Promise<Page<ThirdParty>>;
}

/** The parts of a transaction that the use cases of this package need. */
export interface ConsentsTx {
  readonly consents: ConsentStore;
  readonly third_parties: ThirdPartyStore;
  readonly authorisation: AuthorisationStore;
  readonly audit: AuditLog;
}

/** What reading needs besides the transaction. */
export interface ReadPorts {
  readonly bank: BankData;
}

/** What creating needs besides the transaction. */
export interface CreatePorts {
  readonly random: Random;
}

/** A call of a third party with a client-credentials token. */
export interface ThirdPartyCall {
  readonly client_id: string;
  readonly request_id: string | null;
  readonly source_address?: string | null | undefined;
  readonly now_ms: number;
}

/** A call with a token that a user's authorisation of a consent gave. */
export interface GrantedCall extends ThirdPartyCall {
  readonly consent_id: string;
  readonly user_id: string;
}

export interface AccessToken {
  readonly client_id: string;
  readonly scopes: readonly ThirdPartyScope[];
  readonly grant_type: 'client_credentials' | 'authorization_code';
  /** Of an authorization-code token: the consent and the user that it is bound to. */
  readonly consent_id: string | null;
  readonly user_id: string | null;
}

/** The client certificate of a request, from TLS or from a trusted proxy. */
export interface ClientCertificate {
  /** The base64url SHA-256 of its DER form. */
  readonly sha256: string;
  /** Its subject as an RFC 4514 string. */
  readonly subject: string;
  /** PEM. */
  readonly pem: string;
}

/** The access tokens of the authorisation server. */
export interface AccessTokens {
  /**
   * What the token stands for now; null: it is unknown, expired, ended, of a suspended third party,
   * or bound to another client certificate. `certificate_sha256` is `sha256` of the certificate of
   * the caller; null: it has none.
   */
  find(token: string, certificate_sha256: string | null): Promise<AccessToken | null>;
}

/** Too many attempts to log in wait for earlier ones. */
export const too_many_log_ins = Symbol('too many log-ins');

/** What an attempt to log in is slowed by, besides the address of its sender. */
export interface LogInAttempt {
  readonly user_name: string;
  /** The step of an authorisation; null: outside of one. */
  readonly step: string | null;
}

/** What bounds a request to the authorisation server. Its host supplies it (ADR 0059). */
export interface RequestBounds {
  /** The request and its address, for the audit log. */
  readonly origin: { readonly request_id: string | null; readonly source_address: string | null };
  /**
   * Runs a transaction when such requests have a share. Rejects with a retryable fault when they
   * have none in time, and then it does not run.
   */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Notes who the caller has proved to be. Returns null, or the seconds after which a caller past its
   * limit may send the next request.
   */
  identify(caller: { readonly third_party: string } | { readonly user: string }): number | null;
  /** Waits before a request is refused, unless its caller is known. */
  slowDown(): Promise<void>;
  /** Attempts to log in; null: the password is wrong, which slows further attempts. */
  logIn<Result>(
    attempt: LogInAttempt,
    work: () => Promise<Result | null>,
  ): Promise<Result | null | typeof too_many_log_ins>;
  /**
   * How long the next such attempt waits at most, unless others are made meanwhile, milliseconds.
   */
  logInPauseMs(attempt: LogInAttempt): number;
}

/** Authenticates users of the bank. The sandbox has its own; a bank passes in its own. */
export interface UserLogin {
  /**
   * The level of authentication that it reaches: the `acr` of id_tokens. When absent
   * `urn:openbanking:psd2:ca`, because a password alone is no strong authentication
   * (`urn:openbanking:psd2:sca`).
   */
  readonly acr?: string;
  /** The user's id, if name and password are right; else null. Rejects when it cannot check them. */
  authenticate(credentials: { readonly user_name: string; readonly password: string }): Promise<string | null>;
}
