import { rolesOf } from '@tallystick/access';
import type { RefusalCode } from '@tallystick/kernel';
import { authorization_item, type FileOperation, unread_authorization } from '@tallystick/operations';
import * as z from 'zod';
import { type Deprecation, deprecation_header_names, deprecationHeaders } from '../answer/deprecation.ts';
import { type HttpProblemCode, http_problem_status, refusal_status } from '../answer/error-answer.ts';
import type { Route } from '../join-endpoints.ts';
import { type Json, jsonContentOf, referenceTo, schemaOf } from './schemas.ts';

type ErrorCode = RefusalCode | HttpProblemCode;

const status_of: Readonly<Record<ErrorCode, number>> = { ...refusal_status, ...http_problem_status };

/** The error body. */
export const error = z
  .object({
    error: z.string().describe('What went wrong, for people: one sentence, which may change'),
    code: z.enum(Object.keys(status_of) as ErrorCode[]).describe('What went wrong, for programs: codes do not change'),
    fields: z
      .array(
        z.object({
          path: z.string().describe('The field, or the query parameter'),
          message: z.string().describe('What it must be'),
        }),
      )
      .min(1)
      .optional()
      .describe('Each field that is invalid; absent when no field is'),
    request_id: z.string().describe('The X-Request-Id of the answer; it is in the logs of the service'),
  })
  .meta({ id: 'Error', description: 'Why a request failed' });

/** The answer to the network when a fault of the service, or load, prevented a decision. */
export const authorization_failure = z
  .object({
    data: z
      .union([authorization_item, unread_authorization])
      .describe('The answer to the network: nothing was approved'),
    error: z.string().describe('What went wrong, for people: one sentence, which may change'),
    code: z.literal('unable_to_process').describe('Always `unable_to_process`'),
    request_id: error.shape.request_id,
  })
  .meta({ id: 'AuthorizationFailure', description: 'A message of the network that could not be decided' });

/** The links of a page of a list. */
export const links = z
  .object({
    first: z.string().describe('The path of the first page, with the same filters'),
    next: z.string().nullable().describe('The path of the page after this; null: it is the last'),
  })
  .describe('Paths, with the brackets of `filter[...]` and `page[...]` as a caller writes them: not percent-encoded')
  .meta({ id: 'Links' });

/** The headers of answers, by name. */
const response_headers = {
  'X-Request-Id': headerOf("The caller's X-Request-Id if it is plain text, else a new one; it is in the logs", true),
  Deprecation: headerOf('On virtual cards only: the Unix time from which the interface is deprecated (RFC 9745)'),
  Sunset: headerOf('On virtual cards only: the HTTP date from which the interface may be gone (RFC 8594)'),
  Link: headerOf('On virtual cards only: the address of the successor, with `rel="successor-version"` (RFC 5829)'),
  'Idempotent-Replayed': headerOf('`true`: this is the first answer to the Idempotency-Key, returned again'),
  'Content-Disposition': headerOf('The name under which a browser saves the file', true),
  'Preference-Applied': headerOf(
    'The preference of `Prefer` that the answer follows. `return-minimal`: each item of `data` is a `MinimalItem`, with ' +
      '`id`, `type` and `url` alone. `respond-async`: the work goes on after the answer',
  ),
  'WWW-Authenticate': headerOf('`Bearer`', true),
  'Retry-After': { description: 'Seconds after which to try again', required: true, schema: { type: 'integer' } },
} as const satisfies Readonly<Record<string, Json>>;

type HeaderName = keyof typeof response_headers;

function headerOf(description: string, required?: true) {
  return { description, ...(required === undefined ? {} : { required }), schema: { type: 'string' } };
}

/** The headers of answers, for `components.headers`. */
export function describeHeaders(v1_deprecation: Deprecation | null): Json {
  const unused = deprecation_header_names.filter((name) => !announcedBy(v1_deprecation).includes(name));
  return Object.fromEntries(Object.entries(response_headers).filter(([name]) => !unused.some((one) => one === name)));
}

/** The names of the headers that an announcement adds to answers about virtual cards. */
function announcedBy(v1_deprecation: Deprecation | null): readonly HeaderName[] {
  if (v1_deprecation === null) return [];
  const sent = deprecationHeaders(v1_deprecation);
  return deprecation_header_names.filter((name) => name in sent);
}

function headersOf(...names: readonly HeaderName[]): Json {
  const listed = Object.fromEntries(
    ['X-Request-Id' as const, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  return { headers: listed };
}

/** An error answer that many operations have: its codes have one status. */
interface ErrorAnswer {
  readonly description: string;
  readonly codes: readonly [ErrorCode, ...ErrorCode[]];
  readonly headers: readonly HeaderName[];
}

const error_answers = {
  InvalidQuery: {
    description: 'A filter or page parameter is unknown or malformed',
    codes: ['invalid_query'],
    headers: [],
  },
  InvalidCall: {
    description: 'A query parameter or header is malformed, or the state of the resource does not allow it',
    codes: ['invalid_query', 'validation_failed'],
    headers: ['Idempotent-Replayed'],
  },
  InvalidRequest: {
    description: 'The body is not JSON, or a value in it, a query parameter or a header is invalid',
    codes: ['invalid_query', 'malformed_json', 'validation_failed'],
    headers: ['Idempotent-Replayed'],
  },
  Unauthenticated: {
    description: 'No API key, an unknown, revoked or ended one, or a wrong signature',
    codes: ['unauthenticated'],
    headers: ['WWW-Authenticate'],
  },
  Forbidden: { description: 'The role of the key does not allow it', codes: ['forbidden'], headers: [] },
  NotFound: {
    description: 'There is no such resource, or it belongs to another company',
    codes: ['not_found'],
    headers: ['Idempotent-Replayed'],
  },
  IdempotencyInProgress: {
    description: 'A request with this Idempotency-Key has not ended yet',
    codes: ['idempotency_in_progress'],
    headers: [],
  },
  Conflict: {
    description: 'The present state does not allow it, or a request with this Idempotency-Key has not ended yet',
    codes: ['conflict', 'account_range_used_up', 'idempotency_in_progress'],
    headers: ['Idempotent-Replayed'],
  },
  ConflictingState: { description: 'The present state does not allow it', codes: ['conflict'], headers: [] },
  InvalidUpload: {
    description: 'A query parameter is unknown or malformed, or the body ended too early',
    codes: ['invalid_query', 'malformed_request', 'validation_failed'],
    headers: [],
  },
  UnsupportedUpload: {
    description: 'The body is not declared as its media type (in UTF-8), or is compressed',
    codes: ['unsupported_media_type'],
    headers: [],
  },
  CompressedUpload: { description: 'The body is compressed', codes: ['unsupported_media_type'], headers: [] },
  UploadTooLarge: { description: 'The file is too long', codes: ['body_too_large'], headers: [] },
  BodyTooLarge: { description: 'The body is over 1 MiB', codes: ['body_too_large'], headers: [] },
  UnsupportedMediaType: {
    description: 'The body is not declared as application/json, or is compressed',
    codes: ['unsupported_media_type'],
    headers: ['Idempotent-Replayed'],
  },
  IdempotencyMismatch: {
    description: 'The Idempotency-Key was used with another request',
    codes: ['idempotency_mismatch'],
    headers: [],
  },
  RateLimited: {
    description: 'The key has sent too many requests',
    codes: ['rate_limited'],
    headers: ['Retry-After'],
  },
  InternalError: { description: 'A fault of the service', codes: ['internal_error'], headers: [] },
  Unavailable: {
    description: 'The service cannot do this now',
    codes: ['unavailable'],
    headers: ['Retry-After'],
  },
} as const satisfies Readonly<Record<string, ErrorAnswer>>;

type ErrorAnswerName = keyof typeof error_answers;

/** The error answers, for `components.responses`. */
export function describeErrors(v1_deprecation: Deprecation | null): Json {
  return Object.fromEntries(
    Object.entries<ErrorAnswer>(error_answers).map(([name, answer]) => [
      name,
      {
        description: answer.description,
        ...headersOf(...announcedBy(v1_deprecation), ...answer.headers),
        content: jsonContentOf(errorSchemaOf(answer)),
      },
    ]),
  );
}

function errorSchemaOf({ codes }: ErrorAnswer): Json {
  return {
    allOf: [
      referenceTo('Error'),
      { type: 'object', properties: { code: { description: 'The codes of this answer', enum: codes } } },
    ],
  };
}

export function errorResponseOf(name: ErrorAnswerName): Json {
  return { $ref: `#/components/responses/${name}` };
}

/** The error answers of a route: those that follow from its method, path and body, and its own. */
function errorAnswersOf(route: Route): readonly ErrorAnswerName[] {
  const { method, path, operation } = route;
  const { body, refusals = [] } = operation;
  if ('receive' in operation) return uploadErrorsOf(route, operation);
  const sends_body = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const not_found = path.includes(':') || refusals.includes('not_found');
  const conflict = refusals.includes('conflict');
  const is_validated = method === 'POST' || refusals.includes('validation_failed');
  return [
    body !== undefined ? 'InvalidRequest' : is_validated ? 'InvalidCall' : 'InvalidQuery',
    'Unauthenticated',
    'Forbidden',
    ...(not_found ? (['NotFound'] as const) : []),
    ...(conflict ? (['Conflict'] as const) : method === 'POST' ? (['IdempotencyInProgress'] as const) : []),
    ...(sends_body ? (['BodyTooLarge'] as const) : []),
    ...(body !== undefined ? (['UnsupportedMediaType'] as const) : []),
    ...(method === 'POST' ? (['IdempotencyMismatch'] as const) : []),
    'RateLimited',
    'InternalError',
    'Unavailable',
  ];
}

function uploadErrorsOf({ takes_only_uploads }: Route, { file_bytes_max }: FileOperation): readonly ErrorAnswerName[] {
  return [
    'InvalidUpload',
    'Unauthenticated',
    'Forbidden',
    'ConflictingState',
    ...(file_bytes_max === undefined ? [] : (['UploadTooLarge'] as const)),
    takes_only_uploads ? 'UnsupportedUpload' : 'CompressedUpload',
    'RateLimited',
    'InternalError',
    'Unavailable',
  ];
}

/** Every answer of a route, by status. */
export function responsesOf(route: Route, v1_deprecation: Deprecation | null): Readonly<Record<string, Json>> {
  const errors = errorAnswersOf(route).map((name) => {
    const answer: ErrorAnswer = error_answers[name];
    const status = status_of[answer.codes[0]];
    if (status !== 503 || !route.may_be_undecided) return [status, errorResponseOf(name)] as const;
    const schema = { anyOf: [errorSchemaOf(answer), schemaOf(authorization_failure)] };
    return [
      status,
      { description: answer.description, ...headersOf(...answer.headers), content: jsonContentOf(schema) },
    ];
  });
  const { answer, answers_early, answers_file, answers_pending } = route.operation;
  const waiting =
    answers_pending === undefined ? route : { ...route, operation: { ...route.operation, answer: answers_pending } };
  const accepted = answers_early || waiting !== route ? { 202: successOf(waiting, v1_deprecation) } : {};
  const status = answer === null && answers_file === undefined ? 204 : 200;
  return { [status]: successOf(route, v1_deprecation), ...accepted, ...Object.fromEntries(errors) };
}

function successOf(route: Route, v1_deprecation: Deprecation | null): Json {
  const { operation, uploads } = route;
  const sent = headersOf(
    ...(route.tag === 'Virtual cards' ? announcedBy(v1_deprecation) : []),
    ...(route.method === 'POST' && uploads === undefined ? (['Idempotent-Replayed'] as const) : []),
    ...(uploads !== undefined && operation.answers_early ? (['Preference-Applied'] as const) : []),
    ...(route.reduces_items ? (['Preference-Applied'] as const) : []),
    ...(operation.answers_file === undefined ? [] : (['Content-Disposition'] as const)),
  );
  if (operation.answers_file !== undefined) {
    const types = [operation.answers_file].flat();
    const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
    return { description: 'Done', ...sent, content };
  }
  if (operation.answer === null) return { description: 'Done; no body', ...sent };
  const shape = schemaOf(operation.answer);
  if (route.is_bare) return { description: 'Done', ...sent, content: jsonContentOf(shape) };
  const data = 'items' in shape ? { ...shape, description: 'The items, in the order that the summary states' } : shape;
  const paged = operation.query?.paged ? { links: referenceTo('Links') } : {};
  const wrapped = { type: 'object', properties: { data, ...paged }, required: ['data', ...Object.keys(paged)] };
  return { description: 'Done', ...sent, content: jsonContentOf(wrapped) };
}

/** The roles of which a key needs one for a route. */
export function rolesOfRoute({ operation: { area } }: Route): readonly string[] {
  return rolesOf(area);
}
