import { Fault, maskCardNumbers, Refusal, type UnitOfWork, UnusableTransaction } from '@tallystick/kernel';
import {
  checkCaller,
  createCalls,
  type FileInput,
  listOperations,
  type OperationCaller,
  piecesOf,
  type ResultFile,
  requireOpenCompany,
  toPlainJson,
} from '@tallystick/operations';
import type { Answer } from '../answer/answer.ts';
import { HttpProblem } from '../answer/error-answer.ts';
import {
  type CheckedBody,
  checkBody,
  nameFields,
  type PreparedRoute,
  type PreparedUpload,
  prepare,
  readPath,
  runTransaction,
  withoutData,
} from '../request/content.ts';
import type { HttpTx } from '../request/http-tx.ts';
import { Overloaded } from '../request/overloaded.ts';
import { parseQuery } from '../request/query.ts';
import { readRequestId } from '../request/request-id.ts';
import type { ApiRequest } from '../request/route.ts';
import { apiRoutes, type RoutePorts } from '../routes.ts';
import { type Operation, operationOf } from './operation.ts';
import { type QueryInput, writeQuery } from './query-text.ts';
import { type OperationResult, resultOf } from './result.ts';

/** A call of an operation. What an operation does not take is refused or has no effect. */
export interface OperationCall extends OperationCaller {
  /** The parameters of the path, by name. */
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: QueryInput;
  /** The fields of the resource: a plain object. */
  readonly data?: unknown;
  /** Members of the request beside `data`: `{ show_card_number: true }`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The file of an operation that takes one. */
  readonly file?: FileInput;
  /** The items of a list are reduced to id, type and url. */
  readonly minimal?: boolean;
  /** The result of an import comes as soon as the file is checked and staged. */
  readonly respond_async?: boolean;
  /** For log, audit log and events. A text that is not plain is replaced; random when absent. */
  readonly request_id?: string;
  /**
   * The unit of work of a transaction of the host. The call then neither commits nor rolls back.
   * Absent: the call has a transaction of its own.
   */
  readonly unitOfWork?: UnitOfWork<HttpTx> | undefined;
}

/** What the operations need: the ports of the routes, and the clock of a sandbox. */
export interface OperationPorts extends Omit<RoutePorts, 'keyRevoked' | 'companyChanged'> {
  /** Called when a key was revoked. Without it, this process accepts the key for two seconds. */
  readonly keyRevoked?: (key_id: number) => void;
  /** The same for the keys of a company that was changed. */
  readonly companyChanged?: (company_id: number) => void;
}

/** Every route of the API as a call within the process. */
export interface Operations {
  /** By its id: `virtualCards.create`. */
  readonly operations: ReadonlyMap<string, Operation>;
  /**
   * Does what the route does, after the same checks of the content of the request: names and shape
   * of `data`, the rules of the query, ids, and the role of the caller. Nothing is checked that
   * concerns HTTP: load, rate limits, keys, signatures; there are no idempotency keys.
   *
   * Throws `Refusal` as the domain does, and `validation_failed` names the fields of `data` without
   * a prefix. Throws a retryable `Fault` when too much of the same work is in progress,
   * `UnusableTransaction` for an operation that cannot take part in a transaction of the host, and
   * `RangeError` for an unknown operation.
   */
  call(operation_id: string, call: OperationCall): Promise<OperationResult>;
}

const nothing = (): void => undefined;

/** Creates the operations from the same routes that the HTTP interface serves. */
export function createOperations(ports: OperationPorts): Operations {
  const { keyRevoked = nothing, companyChanged = nothing } = ports;
  const routes = apiRoutes({ ...ports, keyRevoked, companyChanged });
  const prepared = new Map(routes.map((route) => [route.operation_id, prepare(route)]));
  const operations = new Map(routes.map((route) => [route.operation_id, operationOf(route)]));
  const calls = createCalls(listOperations(ports), {
    unitOfWork: ports.unitOfWork,
    clock: ports.clock,
    refreshClock: ports.sandbox?.refreshClock,
    requestIdOf: readRequestId,
  });
  return {
    operations,
    async call(operation_id, call) {
      if (calls.operations.has(operation_id)) {
        const { params, query: { filter, page = {}, ...others } = {}, options, ...rest } = call;
        const asked = { ...rest, parameters: params, options: { ...others, ...(page as object), filter, ...options } };
        return asResult(await calls.call(operation_id, asked as never));
      }
      const route = prepared.get(operation_id);
      const operation = operations.get(operation_id);
      if (route === undefined || operation === undefined) throw new RangeError(`there is no operation ${operation_id}`);
      if (call.unitOfWork !== undefined && !operation.joins_transaction) {
        throw new UnusableTransaction(
          `${operation_id} cannot take part in a transaction of the host: call it without one`,
        );
      }
      try {
        return resultOf(await perform(ports, route, operation, call));
      } catch (error) {
        throw toHostError(error);
      }
    },
  };
}

function asResult(data: unknown): OperationResult {
  if (typeof data === 'object' && data !== null && 'items' in data && 'next' in data) {
    return { status: 200, data: data.items, next: data.next as string | null, file: null };
  }
  const is_file = typeof data === 'object' && data !== null && 'pieces' in data;
  return { status: data === undefined ? 204 : 200, data, next: null, file: is_file ? (data as ResultFile) : null };
}

async function perform(
  ports: OperationPorts,
  route: PreparedRoute | PreparedUpload,
  operation: Operation,
  call: OperationCall,
): Promise<Answer> {
  const arrived_ms = performance.now();
  const { actor, ...principal } = checkCaller(call, route.area);
  const path = readPath(readParams(operation, call.params ?? {}));
  const query = parseQuery('', writeQuery(call.query ?? {}), preferencesOf(call), route.query);
  const body = 'receive' in route ? undefined : readData(route, call);
  // On a shared connection the refresh would wait for the end of the host's transaction.
  if (call.unitOfWork === undefined) await ports.sandbox?.refreshClock?.();
  const request: ApiRequest = {
    principal,
    actor,
    request_id: readRequestId(call.request_id),
    now_ms: ports.clock.nowMs(),
    arrived_ms,
    ...path,
    query,
    body,
  };
  const { company_id } = principal;
  try {
    if ('transaction' in route && route.before === undefined) {
      const transaction = async (tx: HttpTx, asked: ApiRequest): Promise<Answer> => {
        await requireOpenCompany(tx, company_id);
        return await route.transaction(tx, asked);
      };
      const unitOfWork = call.unitOfWork ?? ports.unitOfWork;
      return await runTransaction({ ...route, transaction }, request, unitOfWork, (_tx, answer) => answer);
    }
    if (company_id !== null) await ports.unitOfWork.read((tx) => requireOpenCompany(tx, company_id));
    if ('receive' in route) {
      const pieces = piecesOf(call.file, route.upload_bytes_max ?? Number.POSITIVE_INFINITY);
      return await route.receive({ ...request, body: undefined }, pieces, nothing);
    }
    if ('perform' in route) return await route.perform(request);
    await route.before?.(request);
    return await runTransaction(route, request, ports.unitOfWork, (_tx, answer) => answer);
  } catch (error) {
    throw nameFields(error, '');
  }
}

/** The texts of a path's parameters. To leave one out is a mistake of the host's program. */
function readParams({ id, params }: Operation, sent: NonNullable<OperationCall['params']>): Record<string, string> {
  const unknown = Object.keys(sent).find((name) => !params.includes(name));
  if (unknown !== undefined) throw new TypeError(`${id} has no path parameter ${unknown}`);
  return Object.fromEntries(
    params.map((name) => {
      const value = sent[name];
      if (typeof value === 'string' || typeof value === 'number') return [name, String(value)];
      throw new TypeError(`${id} needs the path parameter ${name}: a text or a number`);
    }),
  );
}

function preferencesOf({ minimal, respond_async }: OperationCall): string | undefined {
  const preferences = [...(minimal ? ['return-minimal'] : []), ...(respond_async ? ['respond-async'] : [])];
  return preferences.length === 0 ? undefined : preferences.join(', ');
}

/** Checks `data` and `options` as the body of a request. */
function readData(route: PreparedRoute, { data, options = {} }: OperationCall): CheckedBody['body'] {
  if (route.body === undefined) return undefined;
  const sent = {
    ...(toPlainJson(options, 'options') as object),
    ...(data === undefined ? {} : { data: toPlainJson(data, 'data') }),
  };
  try {
    return checkBody(route, sent).body;
  } catch (error) {
    throw withoutData(error);
  }
}

/**
 * The error as a host gets it. A refusal shows no card number, as over HTTP. What only HTTP has
 * becomes a fault: too much of the same work is in progress.
 */
function toHostError(error: unknown): unknown {
  if (error instanceof Refusal) return masked(error);
  if (!(error instanceof HttpProblem || error instanceof Overloaded)) return error;
  const message = error instanceof HttpProblem ? error.message : 'too much of the same work is in progress; try again';
  return new Fault(message, { retryable: true, cause: error });
}

function masked(refusal: Refusal): Refusal {
  const fields = refusal.fields.map(({ path, message }) => ({
    path: maskCardNumbers(path),
    message: maskCardNumbers(message),
  }));
  const message = maskCardNumbers(refusal.message);
  const is_same =
    message === refusal.message &&
    fields.every(({ path, message }, at) => {
      const field = refusal.fields[at];
      return field?.path === path && field.message === message;
    });
  return is_same ? refusal : new Refusal(refusal.code, message, fields);
}
