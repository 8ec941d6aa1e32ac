import { type Area, companyOf, type Principal } from '@tallystick/access';
import type { Call, RefusalCode } from '@tallystick/kernel';
import type * as z from 'zod';
import type { Answer } from '../answer/answer.ts';
import type { HttpTx } from './http-tx.ts';
import type { Query, QueryRules } from './query.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The sections of the document. */
export type Tag =
  | 'Virtual cards'
  | 'Card details'
  | 'Real cards'
  | 'Purchase templates'
  | 'Events'
  | 'Webhooks'
  | 'Network'
  | 'Operator'
  | 'Sandbox';

/** A request that got through: authenticated, in bounds, its body in shape. */
export interface ApiRequest<Body = unknown> {
  readonly principal: Principal;
  readonly request_id: string;
  /** The clock, read once for the request; epoch milliseconds. */
  readonly now_ms: number;
  /** The `:id` of the path; 0 where the path has none. */
  readonly id: number;
  /** The `:delivery_id` of the path; 0 where the path has none. */
  readonly delivery_id: number;
  readonly query: Query;
  readonly body: Body;
}

/** What every route says of itself: the router, the checks and the OpenAPI document are all made from it. */
interface RouteBase<Schema extends z.ZodType> {
  readonly method: Method;
  /** As in the specification, e.g. `/v1/virtualcards/:id`. */
  readonly path: string;
  readonly area: Area;
  /** The function name of generated clients: `webhooks.deliveries.retry`. Unique, never changes. */
  readonly operation_id: string;
  /** The section of the document. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** A GET that does something beyond reading: HEAD, which would do it unseen, is refused on its path (405). */
  readonly has_effect?: boolean;
  readonly query?: QueryRules;
  /** The filters that `query` takes, for the document: one property for each name. */
  readonly filter?: z.ZodObject;
  /** What the whole body is checked with; without it a body is neither needed nor looked at. */
  readonly body?: Schema;
  /** The shape that the document shows, where `body` leaves the fields to the domain, which reports every problem at once. */
  readonly documented_body?: z.ZodType;
  /** A body that has no `data` is taken as the content of it. */
  readonly takes_bare_body?: boolean;
  /** The shape of what is answered with `status`, for the document; null: no body. */
  readonly answer: z.ZodType | null;
  readonly status?: 200 | 204;
  /** Whole bodies that are answered with other statuses, beside the error body, for the document. */
  readonly other_answers?: Readonly<Record<number, z.ZodType>>;
  /** Refusals of its own, for the document, which knows those that follow from the other fields. */
  readonly refusals?: readonly RefusalCode[];
  /** The answer is not wrapped in `data`. */
  readonly answers_bare?: boolean;
}

/** A route whose work is one transaction. The work may run again after a conflict, so it does no outside I/O. */
export interface TransactionRoute<Schema extends z.ZodType> extends RouteBase<Schema> {
  transaction(tx: HttpTx, request: ApiRequest<z.output<Schema>>): Promise<Answer>;
  /** Whether a GET writes after all, for this query: it tells the audit log. */
  readonly writes?: (query: Query) => boolean;
}

/** A route that brings its own transactions: repeating it with the same input must change nothing more. */
export interface OwnTransactionsRoute<Schema extends z.ZodType> extends RouteBase<Schema> {
  perform(request: ApiRequest<z.output<Schema>>): Promise<Answer>;
}

/** A route of any body. */
export type Route = TransactionRoute<z.ZodType> | OwnTransactionsRoute<z.ZodType>;

/** Gives a route back, its handler typed by its schema. */
export function route<Schema extends z.ZodType>(
  definition: TransactionRoute<Schema> | OwnTransactionsRoute<Schema>,
): Route {
  // The pipeline hands a handler only what its own schema made.
  return definition as unknown as Route;
}

/** What a call takes from a request. */
type Caller = Pick<ApiRequest, 'principal' | 'request_id' | 'now_ms'>;

/** The call of a client's request: it sees its own company only. */
export function clientCall(request: Caller): Call {
  return operatorCall(request, companyOf(request.principal));
}

/** The call of an operator's request on behalf of a company. */
export function operatorCall(request: Caller, company_id: number): Call {
  return {
    company_id,
    actor: `key:${request.principal.key_id}`,
    request_id: request.request_id,
    now_ms: request.now_ms,
  };
}
