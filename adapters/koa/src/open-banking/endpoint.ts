import type { BankData } from '@tallystick/accounts';
import type {
  AccessToken,
  GrantedCall,
  OpenBankingPage,
  ReadPage,
  ThirdPartyCall,
  ThirdPartyScope,
  TransactionQuery,
} from '@tallystick/consents';
import type { Random } from '@tallystick/kernel';
import type { OperationTx } from '@tallystick/operations';
import { problem } from './error-response.ts';

/** A request that passed all checks of the conventions. */
export interface EndpointRequest<Call> {
  readonly call: Call;
  /** The ConsentId or the AccountId of the path; empty where the path has none. */
  readonly id: string;
  readonly query: OpenBankingQuery;
  /** The JSON value of the body; undefined where the endpoint takes none. */
  readonly body: unknown;
}

/** The ports of the use cases. */
export interface EndpointPorts {
  readonly bank: BankData;
  readonly random: Random;
}

/** What an endpoint answers. `Links` and `Meta` are added to all but `deleted`. */
export type EndpointAnswer =
  | { readonly kind: 'page'; readonly page: OpenBankingPage }
  | {
      readonly kind: 'resource';
      readonly status: 200 | 201;
      readonly Data: object;
      /** Of account-access consents. The standard defines no field of it. */
      readonly Risk?: object;
      /** The id of a created resource that can be read at the same path; absent: none. */
      readonly created_id?: string;
    }
  | { readonly kind: 'deleted' };

interface EndpointBase {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * Without its prefix. `:id` is the ConsentId or the AccountId. Some endpoints have a path of the
   * service specification and one of the standard.
   */
  readonly paths: readonly string[];
  readonly scope: ThirdPartyScope;
  /** The query parameters that have an effect. Others are ignored. */
  readonly parameters?: readonly string[];
}

/** An endpoint that works with a client-credentials token. */
export interface ManagementEndpoint extends EndpointBase {
  readonly grant_type: Extract<AccessToken['grant_type'], 'client_credentials'>;
  work(tx: OperationTx, ports: EndpointPorts, request: EndpointRequest<ThirdPartyCall>): Promise<EndpointAnswer>;
}

/** An endpoint that works with the token of a user's authorisation. */
export interface GrantedEndpoint extends EndpointBase {
  readonly grant_type: Extract<AccessToken['grant_type'], 'authorization_code'>;
  work(tx: OperationTx, ports: EndpointPorts, request: EndpointRequest<GrantedCall>): Promise<EndpointAnswer>;
}

/**
 * The definition of an endpoint of the standard. Its work is one transaction, and may run again
 * after a conflict.
 */
export type Endpoint = ManagementEndpoint | GrantedEndpoint;

/** The query parameters of the standard, and the cursor of a page. */
export interface OpenBankingQuery extends TransactionQuery, ReadPage {}

/**
 * Reads the parameters that have an effect on the endpoint. Others are ignored, as the standard
 * has it. Refuses an effective one that is repeated, and an empty `page`.
 *
 * A plus sign stands for itself: dates with a zone are often sent without percent-encoding.
 */
export function readQuery(querystring: string, parameters: readonly string[]): OpenBankingQuery {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(querystring.replaceAll('+', '%2B'))) {
    if (!parameters.includes(name)) continue;
    if (values.has(name)) throw problem('UK.OBIE.Field.Invalid', `${name} is repeated`, name);
    values.set(name, value);
  }
  if (values.get('page') === '') throw problem('UK.OBIE.Field.Invalid', 'page is empty; take it from Links', 'page');
  return {
    from: values.get('fromBookingDateTime'),
    to: values.get('toBookingDateTime'),
    cursor: values.get('page'),
  };
}
