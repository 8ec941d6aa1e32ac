import { callback_url_length_max, type HeldSecrets, readCallbackUrl } from '@tallystick/events';
import type { AuditLog, RequestFields, UrlPolicy } from '@tallystick/kernel';
import { readStandIn, type StandInRule } from './stand-in.ts';

/** The URL at which a company decides on its purchases itself. A company has at most one. */
export interface DecisionEndpoint extends HeldSecrets {
  readonly company_id: number;
  /** Exactly as the client wrote it. Signatures are made over it. */
  readonly url: string;
  /** How long the service waits for an answer. */
  readonly timeout_ms: number;
  readonly stand_in: readonly StandInRule[];
  /** An inactive one is not asked, and nothing stands in: the card's limits alone decide. */
  readonly status: EndpointStatus;
  readonly created_at_ms: number;
}

export const endpoint_statuses = ['active', 'inactive'] as const;

export type EndpointStatus = (typeof endpoint_statuses)[number];

export const decision_timeout_ms_min = 200;
export const decision_timeout_ms_max = 2_000;
export const decision_timeout_ms_default = 1_500;

export const endpoint_url_length_max = callback_url_length_max;

/** Decision endpoints, within a transaction. */
export interface DecisionEndpointStore {
  /** With `for_update`, one transaction at a time holds the endpoint of a company, or its absence. */
  find(company_id: number, options?: { readonly for_update?: boolean }): Promise<DecisionEndpoint | null>;
  /**
   * Writes the endpoint, and a new `endpoint_version` of the company, positive if it is active: from
   * the commit on, every pass of the ledger knows. Precondition: it is held for update in this
   * transaction.
   */
  put(endpoint: DecisionEndpoint): Promise<void>;
  /** Deletes it. The new version is negative. The same precondition as `put`. */
  delete(company_id: number): Promise<void>;
  /** Up to `limit` endpoints of companies with an id above this one, in id order, held for update. */
  listAfter(company_id: number, limit: number): Promise<readonly DecisionEndpoint[]>;
}

export interface DecisionEndpointTx {
  readonly decision_endpoints: DecisionEndpointStore;
  readonly audit: AuditLog;
}

/** The settings that a client chooses; null where a field is absent or invalid. */
export interface EndpointFields {
  readonly url: string | null;
  readonly timeout_ms: number | null;
  readonly stand_in: readonly StandInRule[] | null;
  readonly status: EndpointStatus | null;
}

export function readEndpointFields(fields: RequestFields, policy: UrlPolicy): EndpointFields {
  return {
    url: readCallbackUrl(fields, 'url', policy),
    timeout_ms: fields.readInteger('timeout_ms', { min: decision_timeout_ms_min, max: decision_timeout_ms_max }),
    stand_in: readStandIn(fields, 'stand_in'),
    status: fields.readChoice('status', endpoint_statuses),
  };
}
