import { type HostTransaction, Refusal, type UnitOfWork, UnusableTransaction } from '@tallystick/kernel';
import type { HttpTx, OperationCall, OperationResult, Operations, ResultFile } from '@tallystick/koa';
import type { Id } from './generated/resources.ts';
import { type ListPage, listOf } from './list.ts';
import { company_methods, type Method, type MethodTable, service_methods } from './method-table.ts';
import { nameOptions } from './name-options.ts';
import type { CompanyOperations, OperationGroups } from './operation-groups.ts';
import { readArguments } from './read-arguments.ts';

/** What the groups need. */
export interface OperationGroupPorts {
  readonly operations: Operations;
  /**
   * Returns the unit of work of a transaction of the host. Throws `UnusableTransaction` for what is
   * none, or is none of this database.
   */
  readonly joining: (host: HostTransaction) => UnitOfWork<HttpTx>;
}

/** The most companies whose methods are kept. */
const companies_max = 1_000;

/** Makes the groups of the use cases from the operations. */
export function createOperationGroups(ports: OperationGroupPorts): OperationGroups {
  const companies = new Map<Id, CompanyOperations>();
  return {
    company(company_id) {
      const known = companies.get(company_id);
      if (known !== undefined) return known;
      const made = bind(ports, company_methods, 'company', companyIdOf(company_id));
      if (companies.size >= companies_max) companies.clear();
      companies.set(company_id, made);
      return made;
    },
    ...bind(ports, service_methods, '', null),
  };
}

/** The id as a number. What is no id stays what it is, and every call with it is refused. */
function companyIdOf(company_id: Id): number {
  const is_digits = typeof company_id === 'string' && /^[1-9]\d{0,14}$/.test(company_id);
  return is_digits ? Number(company_id) : (company_id as number);
}

type Table = { readonly [name: string]: Method | Table };
type MethodFunction = (...given: readonly unknown[]) => unknown;

/** Makes the functions of a table. `company_id` is null for groups that belong to no company. */
function bind<Group extends object>(
  ports: OperationGroupPorts,
  table: MethodTable<Group>,
  path: string,
  company_id: number | null,
): Group {
  const bound = Object.entries(table as unknown as Table).map(([name, entry]) => {
    const own_path = path === '' ? name : `${path}.${name}`;
    if (isMethod(entry)) return [name, functionOf(ports, entry, own_path, company_id)];
    return [name, bind(ports, entry as MethodTable<object>, own_path, company_id)];
  });
  return Object.freeze(Object.fromEntries(bound)) as Group;
}

function isMethod(entry: Method | Table): entry is Method {
  return typeof entry.operation_id === 'string';
}

function functionOf(
  { operations, joining }: OperationGroupPorts,
  method: Method,
  path: string,
  company_id: number | null,
): MethodFunction {
  const { operation_id } = method;
  const operation = operations.operations.get(operation_id);
  if (operation === undefined) return missing(operation_id, path);
  const caller = company_id === null ? { role: operation.roles[0]! } : { role: 'client' as const, company_id };

  const option_names = [
    ...['actor', 'request_id', ...(operation.joins_transaction ? ['tx'] : [])],
    ...(operation.answers_list ? ['limit', 'after', 'offset', 'filter'] : []),
    ...(method.options_of_body ?? []),
    ...(method.may_answer_early ? ['name', 'format', 'profile', 'respond_async'] : []),
  ];

  /** The call with these arguments. */
  function prepare(given: readonly unknown[]): OperationCall {
    const { call, tx } = readArguments(path, operation!, method, given);
    return { ...call, ...caller, ...(tx === undefined ? {} : { unitOfWork: join(tx) }) };
  }

  function join(tx: HostTransaction): UnitOfWork<HttpTx> {
    if (!operation?.joins_transaction) {
      throw new UnusableTransaction(`${path} takes no tx, because ${method.runs_alone}; call it without one`);
    }
    if (isHostTransaction(tx)) return joining(tx);
    throw new UnusableTransaction(
      'tx is no transaction: pass what fromPg, fromBetterSqlite3 or another function of tallystick/tx returns',
    );
  }

  async function perform(call: OperationCall): Promise<OperationResult> {
    try {
      return await operations.call(operation_id, call);
    } catch (error) {
      throw nameOptions(error, option_names);
    }
  }

  if (operation.answers_list) {
    return (...given) => {
      const first = Promise.try(prepare, given);
      return listOf(async (after): Promise<ListPage<unknown>> => {
        const call = await first;
        const { data, next } = await perform(after === undefined ? call : pageAfter(call, after));
        return { items: data as readonly unknown[], next };
      });
    };
  }
  if (operation.answers_file) return (...given) => piecesOf(async () => (await perform(prepare(given))).file);
  return async (...given) => (await perform(prepare(given))).data;
}

/** What a JavaScript caller passes may be anything, such as the client of a host itself. */
function isHostTransaction(tx: unknown): tx is HostTransaction {
  return typeof tx === 'object' && tx !== null && 'dialect' in tx && 'execute' in tx && 'handle' in tx;
}

/** The call for the page after a cursor. */
function pageAfter(call: OperationCall, after: string): OperationCall {
  const { limit } = (call.query?.page ?? {}) as { readonly limit?: number };
  return { ...call, query: { ...call.query, page: { limit, after } } };
}

/** The pieces of a file that is made when the first of them is read. */
async function* piecesOf(make: () => Promise<ResultFile | null>): AsyncGenerator<string, void, undefined> {
  const file = await make();
  if (file !== null) yield* file.pieces;
}

/** The function of an operation that this composition does not have. */
function missing(operation_id: string, path: string): MethodFunction {
  const needs = /consents|thirdParties/.test(operation_id) ? 'Open Banking' : 'a sandbox';
  return () =>
    listOf(async () => {
      throw new Refusal('not_found', `${path} needs ${needs}, which this instance was created without`);
    });
}
