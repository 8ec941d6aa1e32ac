/** What a third party may ask for. A third party may have both. */
export const third_party_scopes = ['accounts', 'fundsconfirmations'] as const;

export type ThirdPartyScope = (typeof third_party_scopes)[number];

/** The statuses of a third party. A suspended one has no tokens, and receives none. */
export const third_party_statuses = ['active', 'suspended'] as const;

export type ThirdPartyStatus = (typeof third_party_statuses)[number];

/** How id_tokens and signed answers can be signed. The first is the default. */
export const id_token_algorithms = ['PS256', 'ES256'] as const;

export type IdTokenAlgorithm = (typeof id_token_algorithms)[number];

/** Whether a third party may have this id: 1 to 64 letters, digits, dots, dashes and underscores. */
export function isClientId(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}

/** A regulated third party: a client of the authorisation server. */
export interface ThirdParty {
  readonly id: number;
  /** The OAuth client id. No other third party has it. */
  readonly client_id: string;
  /** What users see, 1 to 255 printable characters. */
  readonly name: string;
  readonly scopes: readonly ThirdPartyScope[];
  readonly redirect_uris: readonly string[];
  /** Its public keys, as a JWK set; null: they are at `jwks_uri`, or it authenticates otherwise. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null;
  readonly jwks_uri: string | null;
  /** The subject of the client certificate with which it authenticates; null: by private_key_jwt. */
  readonly certificate_subject: string | null;
  /** How its id_tokens are signed, and the answers that it asks for as JWT. */
  readonly id_token_signed_response_alg: IdTokenAlgorithm;
  /** Whether it authenticates with the public secret `<client_id>-secret`: only in the sandbox. */
  readonly is_sandbox: boolean;
  readonly status: ThirdPartyStatus;
  readonly created_at_ms: number;
}
