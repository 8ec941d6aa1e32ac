import { type Area, companyOf, type Principal } from '@tallystick/access';
import type { Call, RefusalCode } from '@tallystick/kernel';
import type * as z from 'zod';
import type { Answer } from '../answer/answer.ts';
import type { HttpTx } from './http-tx.ts';
import type { Query, QueryRules } from './query.ts';
import type { UploadPlace } from './uploads.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The sections of the document. */
export type Tag =
  | 'Virtual cards'
  | 'Card details'
  | 'Real cards'
  | 'Purchase templates'
  | 'Events'
  | 'Webhooks'
  | 'Reconciliation'
  | 'Network'
  | 'Bank'
  | 'Operator'
  | 'Sandbox';

/** A request that passed all checks: authenticated, within bounds, its body in shape. */
export interface ApiRequest<Body = unknown> {
  readonly principal: Caller;
  /** The caller as the audit log names it. */
  readonly actor: string;
  readonly request_id: string;
  /** Service time, read once for the request; epoch milliseconds. */
  readonly now_ms: number;
  /** When the request arrived; milliseconds of `performance.now()`. */
  readonly arrived_ms: number;
  /** The `:id` of the path; 0 where the path has none. */
  readonly id: number;
  /** The `:delivery_id` of the path; 0 where the path has none. */
  readonly delivery_id: number;
  /** The `:authorization_id` of the path; 0 where the path has none. */
  readonly authorization_id: number;
  /** The `:number` of the path, the number of an account; empty where the path has none. */
  readonly number: string;
  /** The parameters of the path as text, by name: `:consent_id`. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Query;
  readonly body: Body;
}

/**
 * The definition of a route. The router, the checks and the OpenAPI document are all generated from
 * it.
 */
interface RouteBase<Schema extends z.ZodType> {
  readonly method: Method;
  /** As in the service specification, for example `/v1/virtualcards/:id`. */
  readonly path: string;
  readonly area: Area;
  /** The function name of generated clients: `webhooks.deliveries.retry`. Unique, never changes. */
  readonly operation_id: string;
  /** The section of the document. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /**
   * A GET that has an effect beyond reading. HEAD would have the effect without showing it, so it
   * is refused on this path (405).
   */
  readonly has_effect?: boolean;
  readonly query?: QueryRules;
  /** The filters that `query` accepts, for the document: one property for each name. */
  readonly filter?: z.ZodObject;
  /** The text parameters that `query` accepts, for the document. */
  readonly text_parameters?: z.ZodObject;
  /** The schema that checks the whole body. Without it, a body is neither required nor read. */
  readonly body?: Schema;
  /**
   * The shape in the document, where `body` leaves the fields to the domain, which reports every
   * problem at the same time.
   */
  readonly documented_body?: z.ZodType;
  /**
   * The resource that `data` describes. A client may send it back: its members that are not in the
   * body's schema are ignored. Absent: `data` is no resource.
   */
  readonly takes_back?: z.ZodObject;
  /** A body without `data` is read as the content of `data`. */
  readonly takes_bare_body?: boolean;
  /** The shape of the answer with `status`, for the document. Null: no body. */
  readonly answer: z.ZodType | null;
  readonly status?: 200 | 204;
  /** Whether the same answer may come before the work has ended, with the status 202. */
  readonly answers_early?: boolean;
  /** Whole bodies of answers with other statuses, beside the error body, for the document. */
  readonly other_answers?: Readonly<Record<number, z.ZodType>>;
  /**
   * Further refusals of the route, for the document. Refusals that follow from the other fields are
   * documented automatically.
   */
  readonly refusals?: readonly RefusalCode[];
  /**
   * Refuses the request before it is read, because of load, and returns whether it did (ADR 0020).
   * Absent: only the number of requests in progress bounds the route.
   */
  readonly refuseUnread?: () => boolean;
  /**
   * The answer to a request that is refused because of load, or fails before its work because of a
   * retryable fault. Absent: 503 `unavailable`.
   */
  readonly answerOverload?: (request_id: string) => Answer;
  /** The answer is not wrapped in `data`. */
  readonly answers_bare?: boolean;
  /** The media type of the answer, when it is a file (`Answer.file`) and no JSON. */
  readonly answers_file?: string;
}

/**
 * A route whose work is one transaction. The work may run again after a conflict, so it does no
 * outside I/O.
 */
export interface TransactionRoute<Schema extends z.ZodType> extends RouteBase<Schema> {
  transaction(tx: HttpTx, request: ApiRequest<z.output<Schema>>): Promise<Answer>;
  /** Work that has to be done before, with transactions of its own. */
  readonly before?: (request: ApiRequest) => Promise<void>;
  /** Whether a GET with this query writes, for example to the audit log. */
  readonly writes?: (query: Query) => boolean;
}

/**
 * A route that runs its transactions itself. A repeat with the same input must change nothing more.
 */
export interface OwnTransactionsRoute<Schema extends z.ZodType> extends RouteBase<Schema> {
  perform(request: ApiRequest<z.output<Schema>>): Promise<Answer>;
}

/**
 * A route whose body is a file of any length. Its bytes are passed on as they arrive and are never
 * kept together. An Idempotency-Key has no effect, because it would cover the whole body.
 */
export interface UploadRoute extends RouteBase<z.ZodType> {
  /** The media types of the body, for the document. */
  readonly uploads: readonly string[];
  /** Other media types, and text in another encoding than UTF-8, are refused (415). */
  readonly takes_only_uploads?: boolean;
  /** The most bytes of the body: a longer one is refused (413). Absent: no limit. */
  readonly upload_bytes_max?: number;
  /**
   * `body` rejects after its last byte when the request is not authentic, so nothing may take
   * effect before its end. Work that goes on after the answer is passed to `keepFor`: it counts as
   * an upload until it settles.
   */
  receive(
    request: ApiRequest<undefined>,
    body: AsyncIterable<Uint8Array>,
    keepFor: UploadPlace['keepFor'],
  ): Promise<Answer>;
}

/** A route of any body. */
export type Route = TransactionRoute<z.ZodType> | OwnTransactionsRoute<z.ZodType> | UploadRoute;

/** Returns the route, with its handler typed by its schema. */
export function route<Schema extends z.ZodType>(
  definition: TransactionRoute<Schema> | OwnTransactionsRoute<Schema> | UploadRoute,
): Route {
  // The pipeline passes a handler only the output of its schema.
  return definition as unknown as Route;
}

/**
 * Whether fields and query parameters that the route does not know are ignored: card networks add
 * fields to their messages (decision: unknown fields).
 */
export function ignoresUnknownNames({ area }: Pick<Route, 'area'>): boolean {
  return area === 'network_messages';
}

/** What a route may know of its caller: an API key, or the host that calls in process. */
export type Caller = Pick<Principal, 'key_id' | 'role' | 'company_id'>;

/** The fields of a request that a call needs. */
type CallParts = Pick<ApiRequest, 'principal' | 'actor' | 'request_id' | 'now_ms'>;

/** Returns the call of a client's request. It can access only its own company. */
export function clientCall(request: CallParts): Call {
  return operatorCall(request, companyOf(request.principal));
}

/** Returns the call of an operator's request on behalf of a company. */
export function operatorCall(request: CallParts, company_id: number): Call {
  return {
    company_id,
    actor: request.actor,
    request_id: request.request_id,
    now_ms: request.now_ms,
  };
}

/** Returns an API key as the audit log names it. */
export function actorOf({ key_id }: Pick<Principal, 'key_id'>): string {
  return `key:${key_id}`;
}
