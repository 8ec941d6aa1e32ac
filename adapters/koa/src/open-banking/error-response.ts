import { type OpenBankingErrorCode, type OpenBankingProblem, OpenBankingRefusal } from '@tallystick/consents';
import { Fault, maskCardNumbers, Refusal } from '@tallystick/kernel';
import { type RenderedAnswer, render } from '../answer/answer.ts';
import { HttpProblem, http_problem_status, retry_after_s } from '../answer/error-answer.ts';
import { Overloaded } from '../request/admission.ts';

/** The longest texts of OBErrorResponse1. */
const text_length_max = 500;
const id_length_max = 40;

/** OBErrorResponse1. */
interface ErrorResponse {
  readonly Code: string;
  readonly Id: string;
  readonly Message: string;
  readonly Errors: readonly { readonly ErrorCode: string; readonly Message: string; readonly Path?: string }[];
}

const codes: Readonly<Record<number, string>> = {
  400: '400 BadRequest',
  403: '403 Forbidden',
  500: '500 InternalServerError',
};

/** Whether the error is an expected result of a request. Others are logged. */
export function isExpectedProblem(error: unknown): boolean {
  return (
    [OpenBankingRefusal, BodylessProblem, HttpProblem, Overloaded].some((kind) => error instanceof kind) ||
    isInput(error)
  );
}

/** Ids by which an error is found in the log. */
export interface ErrorIds {
  readonly request_id: string;
  readonly interaction_id: string;
}

/** The answer to an error (decision: errors). Only the statuses 400, 403 and 500 have a body. */
export function errorResponse(error: unknown, ids: ErrorIds): RenderedAnswer {
  if (error instanceof BodylessProblem) return { status: error.status, text: null, headers: error.headers };
  if (error instanceof OpenBankingRefusal) {
    if (error.kind === 'unauthenticated') return errorResponse(invalidToken(), ids);
    return withBody(error.kind === 'invalid' ? 400 : 403, error.problems, ids);
  }
  if (error instanceof HttpProblem) return answerHttpProblem(error, ids);
  if (error instanceof Overloaded || (error instanceof Fault && error.retryable)) {
    return { status: 503, text: null, headers: { 'Retry-After': String(retry_after_s) } };
  }
  if (isInput(error)) {
    const fields = error.fields.length === 0 ? [{ path: '', message: error.message }] : error.fields;
    const problems = fields.map(({ path, message }) => ({
      code: 'UK.OBIE.Field.Invalid' as const,
      message: `${path} ${message}`.trim(),
      ...(path === '' ? {} : { path }),
    }));
    return withBody(400, problems, ids);
  }
  return withBody(500, [{ code: 'UK.OBIE.UnexpectedError', message: 'something went wrong on our side' }], ids);
}

/** A token that stands for nothing here (RFC 6750, 3.1). */
export function invalidToken(): BodylessProblem {
  return new BodylessProblem(401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
}

/** Values that the domain refuses by the conventions of the other routes, such as a cursor. */
function isInput(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.code === 'invalid_query' || error.code === 'validation_failed');
}

function answerHttpProblem({ code, message, headers, fields }: HttpProblem, ids: ErrorIds): RenderedAnswer {
  const status = http_problem_status[code];
  if (status !== 400) return { status, text: null, headers };
  const [first] = fields;
  const problem = { code: 'UK.OBIE.Resource.InvalidFormat' as const, message };
  return withBody(400, [first === undefined ? problem : { ...problem, path: first.path }], ids);
}

function withBody(
  status: 400 | 403 | 500,
  problems: readonly OpenBankingProblem[],
  { request_id, interaction_id }: ErrorIds,
): RenderedAnswer {
  const Errors = problems.map(({ code, message, path }) => ({
    ErrorCode: code,
    Message: textOf(message),
    ...(path === undefined || path === '' ? {} : { Path: textOf(path) }),
  }));
  const body: ErrorResponse = {
    Code: codes[status]!,
    Id: request_id.length <= id_length_max ? request_id : interaction_id,
    Message: Errors[0]!.Message,
    Errors,
  };
  return render({ status, body });
}

function textOf(text: string): string {
  return maskCardNumbers(text).slice(0, text_length_max).toWellFormed();
}

/** A refusal (`invalid`) with one problem. */
export function problem(code: OpenBankingErrorCode, message: string, path?: string): OpenBankingRefusal {
  return new OpenBankingRefusal('invalid', [{ code, message, ...(path === undefined ? {} : { path }) }]);
}

/** An expected error whose answer has no body (decision: errors). */
export class BodylessProblem extends Error {
  override readonly name = 'BodylessProblem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, headers: Readonly<Record<string, string>> = {}) {
    super(`the answer has the status ${status}`);
    this.status = status;
    this.headers = headers;
  }
}
