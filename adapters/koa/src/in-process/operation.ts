import { type Role, rolesOf } from '@tallystick/access';
import type { Method, Route } from '../request/route.ts';

/** What a route does, and what a call of it takes. Derived from the route. */
export interface Operation {
  /** `virtualCards.create`: unique, never changes. The `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters: `/v1/virtualcards/:id`. */
  readonly path: string;
  /** The names of the path's parameters, in their order. A call has to have each of them. */
  readonly params: readonly string[];
  /** The roles that may call it. */
  readonly roles: readonly Role[];
  /** Whether a call has `data`. Other calls ignore it. */
  readonly takes_data: boolean;
  /** Whether a call may have a query. */
  readonly takes_query: boolean;
  /** Whether a call has `bytes`, a file. */
  readonly takes_file: boolean;
  /** Whether the result is a page of a list, with the cursor of the next one. */
  readonly answers_list: boolean;
  /** Whether the result is a file. */
  readonly answers_file: boolean;
  /**
   * Whether a call can take part in a transaction of the host. An operation cannot that runs
   * several transactions, waits for others (a decision shares its pass), or does work outside of
   * the database.
   */
  readonly joins_transaction: boolean;
  readonly summary: string;
}

/** Describes the route as an operation. */
export function operationOf(route: Route): Operation {
  const { operation_id, method, path, query, summary } = route;
  const has_query = query !== undefined && Object.keys(query).length > 0;
  return {
    id: operation_id,
    method,
    path,
    params: [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
    roles: rolesOf(route.area),
    takes_data: route.body !== undefined,
    takes_query: has_query,
    takes_file: 'receive' in route,
    answers_list: query?.paged === true,
    answers_file: route.answers_file !== undefined,
    joins_transaction: 'transaction' in route && route.before === undefined,
    summary,
  };
}
