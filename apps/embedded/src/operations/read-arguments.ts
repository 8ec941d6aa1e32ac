import type { HostTransaction } from '@tallystick/kernel';
import type { Operation, OperationCall } from '@tallystick/koa';
import type { FileContent } from './file-content.ts';
import type { Id } from './generated/resources.ts';
import type { Method } from './method-table.ts';

/** The arguments of a method, as the call of its operation. */
export interface ReadArguments {
  readonly call: Omit<OperationCall, 'role' | 'company_id' | 'unitOfWork'>;
  readonly tx: HostTransaction | undefined;
}

/** The actor of a call that names none. */
const actor_default = 'embedded';

/**
 * Reads the positional arguments of a method: the parameters of the path in their order, then the
 * resource or the file of an operation that takes one, then the options. Throws a `TypeError` for a
 * parameter that is neither a number nor a text, and for options that are no object. The operation
 * checks all else.
 */
export function readArguments(
  path: string,
  operation: Pick<Operation, 'params' | 'takes_data' | 'takes_file'>,
  method: Pick<Method, 'options_of_body' | 'may_be_empty' | 'may_answer_early'>,
  given: readonly unknown[],
): ReadArguments {
  const { params, takes_data, takes_file } = operation;
  const [content, options] = takes_data || takes_file ? given.slice(params.length) : [undefined, given[params.length]];
  const { actor = actor_default, request_id, tx, ...others } = optionsOf(path, options);
  const { of_body, query, respond_async } = divide(others, method);
  return {
    call: {
      actor: actor as string,
      params: Object.fromEntries(params.map((name, index) => [name, parameterOf(path, name, given[index])])),
      query,
      respond_async,
      ...(takes_data ? { data: content ?? (method.may_be_empty ? {} : content), options: of_body } : {}),
      ...(takes_file ? { file: bytesOf(content as FileContent) } : {}),
      ...(request_id === undefined ? {} : { request_id: request_id as string }),
    },
    tx: hostOf(tx),
  };
}

function parameterOf(path: string, name: string, given: unknown): Id {
  if (typeof given === 'string' || typeof given === 'number') return given;
  throw new TypeError(`${path} needs the argument ${name}: a number or a text`);
}

function optionsOf(path: string, given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new TypeError(`the options of ${path} must be an object, such as { actor: "user:42" }`);
}

/** The options of pages, which the query has in brackets. */
const page_options: readonly string[] = ['limit', 'after', 'offset'];

/** Divides the options into those of the body, those of the query, and the preference. */
function divide(
  options: Readonly<Record<string, unknown>>,
  { options_of_body = [], may_answer_early = false }: Pick<Method, 'options_of_body' | 'may_answer_early'>,
) {
  const of_body: Record<string, unknown> = {};
  const page: Record<string, unknown> = {};
  const query: Record<string, unknown> = { page };
  let respond_async = false;
  for (const [name, value] of Object.entries(options)) {
    if (options_of_body.includes(name)) of_body[name] = value;
    else if (page_options.includes(name)) page[name] = value;
    else if (may_answer_early && name === 'respond_async') respond_async = value === true;
    else query[name] = name === 'filter' ? filtersOf(value) : value;
  }
  return { of_body, query: query as NonNullable<OperationCall['query']>, respond_async };
}

/** The filters with each range as its text. */
function filtersOf(filter: unknown): unknown {
  if (typeof filter !== 'object' || filter === null) return filter;
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, rangeTextOf(value)]));
}

function rangeTextOf(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 2) return value;
  return `[${value.map((end: unknown) => end ?? '').join(',')}]`;
}

function bytesOf(content: FileContent): Exclude<FileContent, string> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** The transaction itself; of the `tx` of a handler, the one that it begins. */
function hostOf(tx: unknown): HostTransaction | undefined {
  const host = typeof tx === 'object' && tx !== null && 'host' in tx ? tx.host : tx;
  return host as HostTransaction | undefined;
}
