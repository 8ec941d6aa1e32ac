import { invalid, isStorable, Refusal, type UnitOfWork } from '@tallystick/kernel';
import { createFieldCheck, type FieldCheck, parseShape } from '@tallystick/operations';
import type * as z from 'zod';
import type { Answer } from '../answer/answer.ts';
import type { HttpTx } from './http-tx.ts';
import { nameCursor, type Query, type QueryRules } from './query.ts';
import { type ApiRequest, ignoresUnknownNames, type Route, type TransactionRoute, type UploadRoute } from './route.ts';

/** What is derived once from a route, for the checks of the content of its requests. */
interface Prepared {
  readonly query: QueryRules;
  readonly checkFields: FieldCheck;
}

/** A route with the checks that are derived from it once. */
export type PreparedRoute = Exclude<Route, UploadRoute> & Prepared;
export type PreparedUpload = UploadRoute & Prepared;

/** Derives the checks of a route. They are the same for a request and for a call in process. */
export function prepare(route: Route): PreparedRoute | PreparedUpload {
  const filter_names = Object.keys(route.filter?.shape ?? {});
  const query = { ...route.query, filter_names, ignores_unknown: ignoresUnknownNames(route) };
  return { ...route, query, checkFields: createFieldCheck(route) };
}

/** The parts of a request that its path has. */
export type PathParts = Pick<ApiRequest, 'id' | 'delivery_id' | 'authorization_id' | 'number' | 'params'>;

/**
 * Reads the parameters of a path. A text that is no id, or that no text of ours can be, is refused
 * (`not_found`) like an unknown name.
 */
export function readPath(params: Readonly<Record<string, string | undefined>>): PathParts {
  const id = parsePathId(params.id);
  const delivery_id = parsePathId(params.delivery_id);
  const authorization_id = parsePathId(params.authorization_id);
  if (Object.values(params).some((text) => text !== undefined && !isStorable(text))) {
    throw new Refusal('not_found', 'there is nothing with this name');
  }
  return { id, delivery_id, authorization_id, number: params.number ?? '', params };
}

/** Whether a text is an id as written in a path: digits without leading zeros. */
export function isPathId(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text);
}

/** Returns the id of a path; 0 where the path has none. */
function parsePathId(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!isPathId(text)) throw new Refusal('not_found', 'there is nothing with this id');
  return Number(text);
}

/** A body in the shape of its route. */
export interface CheckedBody {
  readonly body: unknown;
  /** What the caller wrote before the fields of the resource: `data.`, or nothing. */
  readonly prefix: string;
}

/**
 * Checks the names and the shape of a body, a value as JSON has it. Refuses (`validation_failed`)
 * with the whole path of each invalid field.
 */
export function checkBody({ body, checkFields, takes_bare_body }: PreparedRoute, value: unknown): CheckedBody {
  if (body === undefined) return { body: undefined, prefix: '' };
  if (takes_bare_body === true && !isWrapped(value)) {
    return { body: parseShape(body, checkBareFields(checkFields, value), 'data'), prefix: '' };
  }
  return { body: parseShape(body, checkFields(value)), prefix: 'data.' };
}

function isWrapped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'data');
}

/** Checks a body that stands for the content of `data`. The problems name its own fields. */
function checkBareFields(checkFields: FieldCheck, value: unknown): unknown {
  try {
    return checkFields({ data: value });
  } catch (error) {
    throw withoutData(error);
  }
}

/** The error of a body. A refusal names the fields relative to `data`. */
export function withoutData(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'validation_failed') return error;
  const [first, ...others] = error.fields.map(({ path, message }) => ({
    path: path.replace(/^data(?:\.|(?=\[))/, ''),
    message,
  }));
  return first === undefined ? error : invalid(first, ...others);
}

/**
 * Runs the transaction of a route, and returns what `settle` makes of its answer before the commit.
 * Work that has to be done before has been done.
 */
export async function runTransaction<Result>(
  route: TransactionRoute<z.ZodType>,
  request: ApiRequest,
  unitOfWork: UnitOfWork<HttpTx>,
  settle: (tx: HttpTx, answer: Answer) => Result | Promise<Result>,
): Promise<Result> {
  if (onlyReads(route, request.query)) {
    return await unitOfWork.read(async (tx) => settle(tx, await route.transaction(tx, request)));
  }
  let committed: (() => void) | undefined;
  const result = await unitOfWork.run(async (tx) => {
    const answer = await route.transaction(tx, request);
    committed = answer.committed;
    return await settle(tx, answer);
  });
  committed?.();
  return result;
}

function onlyReads({ method, writes }: Pick<TransactionRoute<z.ZodType>, 'method' | 'writes'>, query: Query): boolean {
  return method === 'GET' && writes?.(query) !== true;
}

/**
 * Names the fields of a refusal of the domain as the caller wrote them: after `prefix`, and the
 * cursor of a list `page[after]`.
 */
export function nameFields(error: unknown, prefix: string): unknown {
  return error instanceof Refusal ? nameCursor(prefixPaths(error, prefix)) : error;
}

/** The domain names fields relative to the resource. The caller wrote them under `data`. */
function prefixPaths(refusal: Refusal, prefix: string): Refusal {
  const [first, ...others] = refusal.fields.map(({ path, message }) => ({ path: prefix + path, message }));
  if (refusal.code !== 'validation_failed' || first === undefined) return refusal;
  const names_first = refusal.message.startsWith(`${refusal.fields[0]?.path} `);
  return names_first ? invalid(first, ...others) : new Refusal(refusal.code, refusal.message, [first, ...others]);
}
