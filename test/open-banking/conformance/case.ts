/**
 * A case of the functional conformance suite of Open Banking, in our words. Its manifests are
 * public: https://github.com/OpenBankingUK/conformance-suite, folder `manifests`.
 */
import type { Temporal } from '@tallystick/kernel';

export interface CaseBase {
  /** The id in the manifest. One id is there twice: the second one ends in `/2` here. */
  readonly id: string;
  /** What the case checks. */
  readonly checks: string;
}

/** A case that does not apply to this service. */
export interface ExcludedCase extends CaseBase {
  readonly applies: false;
  /** Why. */
  readonly reason: string;
  /** The optional resource that is not served. It must answer 404. */
  readonly path: string;
}

/** A case that a test of ours runs. */
export interface AppliedCase extends CaseBase {
  readonly applies: true;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in the official documents, without the base path. */
  readonly path: string;
  /** What the request is sent with. */
  readonly token: 'granted' | 'client_credentials' | 'none';
  /** Those of the consent. */
  readonly permissions?: readonly string[];
  /** Added to the consent, because no consent can be created without them. */
  readonly added_permissions?: readonly string[];
  /** The AccountId or ConsentId of the path, in place of the one that was consented. */
  readonly id_in_path?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A value that is sent in `x-fapi-interaction-id` and must be played back. */
  readonly interaction_id?: string;
  /** Whether the request has no `x-fapi-financial-id`, which all others have. */
  readonly lacks_financial_id?: boolean;
  /** One of them must be the status of the answer. */
  readonly statuses: readonly number[];
  /** Values of the body by their path. */
  readonly values?: Readonly<Record<string, string>>;
  /** Members that every item of the list has, or that none has. */
  readonly items_have?: readonly string[];
  readonly items_lack?: readonly string[];
  /** Changes of the request body (POST): members of DebtorAccount, or an ExpirationDateTime. */
  readonly debtor_account?: Readonly<Record<string, string>>;
  readonly expiration?: (tomorrow: Temporal.Instant) => string;
  /** Whether the consent of the case is authorised before the request. */
  readonly is_authorised?: boolean;
}

export type ConformanceCase = AppliedCase | ExcludedCase;

/** A manifest of the suite, at the release whose cases the table has. */
export interface Manifest {
  readonly name: string;
  readonly release: string;
  readonly case_count: number;
  /**
   * `jq -r '.scripts[].id' <manifest> | LC_ALL=C sort | sha256sum`: shows that no id is missing.
   */
  readonly ids_sha256: string;
  readonly cases: readonly ConformanceCase[];
}
