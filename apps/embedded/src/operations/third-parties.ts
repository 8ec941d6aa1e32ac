import type { Id, TransactionOptions } from './call-options.ts';
import type { List, ListOptions } from './list.ts';

/** The regulated third parties: clients of the authorisation server. Needs Open Banking. */
export interface ThirdPartyOperations {
  /** Registers a third party. */
  create(third_party: CreateThirdParty, options?: TransactionOptions): Promise<ThirdParty>;
  /** Lists the third parties, newest first. */
  list(options?: ListOptions): List<ThirdParty>;
  /** Reads a third party. Refuses `not_found`. */
  read(third_party_id: Id, options?: TransactionOptions): Promise<ThirdParty>;
  /**
   * Changes a third party; what is absent stays. Tokens keep working, except when a scope is taken
   * away: then all its tokens end at once. If a key was stolen, replace it, and then suspend and
   * activate the third party.
   */
  update(third_party_id: Id, change: UpdateThirdParty, options?: TransactionOptions): Promise<ThirdParty>;
  /** Suspends a third party. All its tokens end at once. */
  suspend(third_party_id: Id, options?: TransactionOptions): Promise<ThirdParty>;
  /** Activates a suspended third party. It needs new tokens. */
  activate(third_party_id: Id, options?: TransactionOptions): Promise<ThirdParty>;
}

/** A new third party. */
export interface CreateThirdParty {
  /** Its OAuth client id. By default one is made. */
  readonly client_id?: string | null | undefined;
  /** What users of the bank see. */
  readonly name: string;
  readonly scopes: readonly ThirdPartyScope[];
  /** https addresses, compared as they are. */
  readonly redirect_uris: readonly string[];
  readonly jwks?: JwkSet | null | undefined;
  /** The https address of its keys, in place of `jwks`. */
  readonly jwks_uri?: string | null | undefined;
  /**
   * The subject of its client certificate (RFC 4514), if it authenticates by the certificate. By
   * default it authenticates by private_key_jwt.
   */
  readonly certificate_subject?: string | null | undefined;
}

/** A regulated third party. */
export interface ThirdParty {
  /** Digits. */
  readonly id: string;
  readonly client_id: string;
  readonly name: string;
  readonly scopes: readonly ThirdPartyScope[];
  readonly redirect_uris: readonly string[];
  readonly jwks: JwkSet | null;
  readonly jwks_uri: string | null;
  readonly certificate_subject: string | null;
  readonly status: 'active' | 'suspended';
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'third_party';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/**
 * Its public keys as a JWK set (RFC 7517): P-256 keys for ES256, RSA keys of at least 2,048 bits
 * for PS256.
 */
export type JwkSet = Readonly<Record<string, unknown>>;

/** A change of a third party. */
export interface UpdateThirdParty {
  /** What users of the bank see. */
  readonly name?: string | undefined;
  /** All its scopes. One that is missing here is taken away: all tokens end. */
  readonly scopes?: readonly ThirdPartyScope[] | undefined;
  /** All its https addresses, compared as they are. */
  readonly redirect_uris?: readonly string[] | undefined;
  readonly jwks?: JwkSet | null | undefined;
  /** The https address of its keys. It takes the place of `jwks`, and `jwks` that of `jwks_uri`. */
  readonly jwks_uri?: string | null | undefined;
  /**
   * The subject of its client certificate (RFC 4514), if it authenticates by the certificate. By
   * default it authenticates by private_key_jwt.
   */
  readonly certificate_subject?: string | null | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly client_id?: unknown;
  /** Cannot be changed. Only its present value is accepted: suspend or activate the third party. */
  readonly status?: unknown;
}

/** What a third party may ask users for. */
export type ThirdPartyScope = 'accounts' | 'fundsconfirmations';
