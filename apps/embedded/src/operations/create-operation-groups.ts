import { rolesOf } from '@tallystick/access';
import { type HostTransaction, Refusal, type UnitOfWork, UnusableTransaction } from '@tallystick/kernel';
import {
  type Calls,
  describeOperations,
  type HostCall,
  isId,
  type Operation,
  type OperationTx,
  type ResultFile,
} from '@tallystick/operations';
import type { Id } from '@tallystick/operations/resources';
import type { FileContent } from './call-options.ts';
import type { CompanyOperations } from './generated/methods.ts';
import { type ListPage, listOf } from './list.ts';
import type { OperationGroups } from './operation-groups.ts';

export interface OperationGroupPorts {
  readonly calls: Calls;
  /** Counts a stream as work in progress. Returns a function to call at its end. */
  readonly enter: () => () => void;
  /**
   * Returns the unit of work of a transaction of the host. Throws `UnusableTransaction` for what is
   * none, or is none of this database.
   */
  readonly joining: (host: HostTransaction) => UnitOfWork<OperationTx>;
}

/** The most companies whose methods are kept. */
const companies_max = 1_000;

/** Every operation, also those that this composition does not have. */
const operations = describeOperations();

/** Makes the groups of the use cases from the operations. */
export function createOperationGroups(ports: OperationGroupPorts): OperationGroups {
  const companies = new Map<Id, CompanyOperations>();
  const groups = {
    company(company_id: Id): CompanyOperations {
      const known = companies.get(company_id);
      if (known !== undefined) return known;
      const caller = { role: 'client', company_id: companyIdOf(company_id) } as const;
      const made = bind(ports, 'company', () => caller) as unknown as CompanyOperations;
      if (companies.size >= companies_max) companies.clear();
      companies.set(company_id, made);
      return made;
    },
    ...Object.fromEntries(
      ['network', 'bank', 'operator', 'sandbox'].map((group) => [
        group,
        bind(ports, group, ({ area }) => ({ role: rolesOf(area)[0]! })),
      ]),
    ),
  };
  return groups as unknown as OperationGroups;
}

/** The id as a number. What is no id stays what it is, and every call with it is refused. */
function companyIdOf(company_id: Id): number {
  return typeof company_id === 'string' && isId(company_id) ? Number(company_id) : (company_id as number);
}

type Caller = Pick<HostCall, 'role' | 'company_id'>;
type Method = (...values: readonly unknown[]) => unknown;
interface Group {
  [name: string]: Method | Group;
}

/** Makes the methods of a group, as the operations name them: `company.cards.issue`. */
function bind(ports: OperationGroupPorts, name: string, callerOf: (operation: Operation) => Caller): Group {
  const group: Group = {};
  for (const operation of operations) {
    const [first, ...inner] = operation.method.split('.');
    if (first !== name) continue;
    const own = inner.pop()!;
    let within = group;
    for (const step of inner) {
      within[step] ??= {};
      within = within[step] as Group;
    }
    const is_there = ports.calls.operations.has(operation.id);
    within[own] = is_there ? methodOf(ports, operation, callerOf(operation)) : missing(operation);
  }
  return freezeAll(group);
}

function freezeAll(group: Group): Group {
  for (const member of Object.values(group)) if (typeof member === 'object') freezeAll(member);
  return Object.freeze(group);
}

function methodOf({ calls, enter, joining }: OperationGroupPorts, operation: Operation, caller: Caller): Method {
  const { id, query, answers_file } = operation;
  const callOf = (values: readonly unknown[]): HostCall => ({
    ...readArguments(operation, values, joining),
    ...caller,
  });
  if (query?.paged) {
    return (...values) => {
      let call: HostCall | undefined;
      return listOf(async (after) => {
        call ??= callOf(values);
        const asked = after === undefined ? call : { ...call, options: { ...call.options, after, offset: undefined } };
        return (await calls.call(id, asked)) as ListPage<unknown>;
      });
    };
  }
  if (answers_file !== undefined) {
    return async function* (...values) {
      const leave = enter();
      try {
        yield* ((await calls.call(id, callOf(values))) as ResultFile).pieces;
      } finally {
        leave();
      }
    };
  }
  return async (...values) => await calls.call(id, callOf(values));
}

/** The actor of a call that names none. */
const actor_default = 'embedded';

/**
 * Reads the positional arguments of a method: the parameters in their order, then the resource or
 * the file of an operation that takes one, then the options. Throws a `TypeError` for options that
 * are no object. The call checks all else.
 */
function readArguments(
  { method, parameters = [], ...operation }: Operation,
  values: readonly unknown[],
  joining: OperationGroupPorts['joining'],
): Omit<HostCall, 'role' | 'company_id'> {
  const takes_file = 'receive' in operation;
  const rest = values.slice(parameters.length);
  const content = takes_file || operation.body !== undefined ? rest.shift() : undefined;
  const [given = {}] = rest;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`the options of ${method} must be an object, such as { actor: "user:42" }`);
  }
  const { actor = actor_default, request_id, tx, ...options } = given as Readonly<Record<string, unknown>>;
  return {
    actor: actor as string,
    request_id: request_id as string | undefined,
    parameters: Object.fromEntries(parameters.map((name, at) => [name, values[at] as Id])),
    options,
    ...(takes_file ? { file: bytesOf(content as FileContent) } : { data: content }),
    ...(tx === undefined ? {} : { unitOfWork: () => joining(hostOf(tx)) }),
  };
}

function bytesOf(content: FileContent): Exclude<FileContent, string> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** The transaction itself; of the `tx` of a handler, the one that it begins. */
function hostOf(tx: unknown): HostTransaction {
  const host = typeof tx === 'object' && tx !== null && 'host' in tx ? tx.host : tx;
  if (isHostTransaction(host)) return host;
  throw new UnusableTransaction(
    'tx is no transaction: pass what fromPg, fromBetterSqlite3 or another function of tallystick/tx returns',
  );
}

/** What a JavaScript caller passes may be anything, such as the client of a host itself. */
function isHostTransaction(tx: unknown): tx is HostTransaction {
  return typeof tx === 'object' && tx !== null && 'dialect' in tx && 'execute' in tx && 'handle' in tx;
}

/** The method of an operation that this composition does not have. */
function missing({ method, area }: Operation): Method {
  const needs = area.startsWith('sandbox_') ? 'a sandbox' : 'Open Banking';
  return () =>
    listOf(async () => {
      throw new Refusal('not_found', `${method} needs ${needs}, which this instance was created without`);
    });
}
