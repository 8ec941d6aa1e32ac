import { type Effect, roleFor, type Visitor } from '@tallystick/access';
import { assert, type Clock, maskCardNumbers, Refusal, type UnitOfWork, UnusableTransaction } from '@tallystick/kernel';
import { type Parameter, readParameters } from '../call/parameters.ts';
import { checkBody, nameFields, type Prepared, prepare, runTransaction } from '../call/prepare.ts';
import { Interim, type Operation, type OperationCall, type OperationTx, type ReadOperation } from '../operation.ts';
import { checkCaller, type OperationCaller, requireOpenCompany } from './caller.ts';
import { type FileInput, piecesOf } from './file-input.ts';
import { callOnce, type OncePorts, type RunPart } from './once.ts';
import { createOptionsReader, option_names, type ReadOptions } from './options.ts';
import { toPlainJson } from './plain-json.ts';

/** A call of a host. What an operation does not take is refused or has no effect. */
export interface HostCall extends OperationCaller {
  readonly parameters?: Readonly<Partial<Record<Parameter, string | number>>>;
  /** The fields of the resource: a plain object. */
  readonly data?: unknown;
  /** The file of an operation that takes one. */
  readonly file?: FileInput;
  /** `{ filter: { status: 'Approved' }, limit: 10, show_card_number: true }`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** For log, audit log and events. A text that is not plain is replaced; random when absent. */
  readonly request_id?: string | undefined;
  /**
   * Returns the unit of work of a transaction of the host. The call then neither commits nor rolls
   * back. Absent: the call has a transaction of its own.
   */
  readonly unitOfWork?: () => UnitOfWork<OperationTx>;
}

export interface CallPorts {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly clock: Clock;
  /** Waits until the clock shows the moves of other processes. Absent where none moves it. */
  readonly refreshClock: (() => Promise<void>) | undefined;
  /** Returns the id of the host's request if it is plain, else a new one. */
  readonly requestIdOf: (request_id: string | undefined) => string;
  readonly once: OncePorts;
}

/** Every operation as a call within the process. */
export interface Calls {
  /** By its id: `virtualCards.create`. */
  readonly operations: ReadonlyMap<string, Operation>;
  /**
   * Does the work of an operation after the same checks that a request has: names and shape of
   * `data`, options, ids, and the role of the caller. Resolves with a resource, a page, a file, or
   * undefined, as plain JSON values.
   *
   * Throws `Refusal` as the domain does, with the names of the caller. Throws a retryable `Fault`
   * when too much of the same work is in progress, `UnusableTransaction` for an operation that
   * cannot take part in a transaction of the host, `RangeError` for an unknown operation, and
   * `TypeError` for a missing parameter.
   */
  call(operation_id: string, call: HostCall): Promise<unknown>;
  /** Whether a visitor may make a call like this, for a company or for all. */
  may(visitor: Visitor, operation_id: string, company_id: number | null): boolean;
  /**
   * The same as `call` on behalf of a visitor of the console, whose own roles decide. Refuses
   * (`forbidden`) what they do not permit.
   */
  callAs(visitor: Visitor, operation_id: string, call: VisitorCall): Promise<unknown>;
  /**
   * Several calls of operations that only read, each as `callAs` does it, in one transaction: they
   * see one state, and share what every call costs. What the operations named here do before their
   * transaction is done first, once. On Postgres a list may set how the rest of its transaction is
   * planned, so they should be alike. Throws `Violation` for a call of another operation.
   */
  readAs<Result>(
    visitor: Visitor,
    operation_ids: readonly string[],
    company_id: number | null,
    work: (read: (operation_id: string, call: VisitorCall) => Promise<unknown>) => Promise<Result>,
  ): Promise<Result>;
}

/** A call on behalf of a visitor. Without a company it is about all companies, or about none. */
export interface VisitorCall extends Omit<HostCall, 'role' | 'actor' | 'unitOfWork'> {
  readonly company_id: number | null;
  /** The IP address from which the visitor comes. */
  readonly source_address: string | null;
  /**
   * A repeat with the same key has the first result again, where a request may have an
   * `Idempotency-Key`. Calls that differ in anything need keys of their own.
   */
  readonly key?: string | undefined;
}

interface Callable {
  readonly operation: Prepared;
  readonly readOptions: (options: Readonly<Record<string, unknown>>) => ReadOptions;
}

export function createCalls(operations: readonly Operation[], ports: CallPorts): Calls {
  const callable = new Map<string, Callable>(
    operations.map((one) => [one.id, { operation: prepare(one), readOptions: createOptionsReader(one) }]),
  );

  function find(operation_id: string): Callable {
    const found = callable.get(operation_id);
    if (found === undefined) throw new RangeError(`there is no operation ${operation_id}`);
    return found;
  }

  async function finish(work: Promise<unknown>): Promise<unknown> {
    try {
      const result = await work;
      return result instanceof Interim ? result.data : result;
    } catch (error) {
      throw error instanceof Refusal ? masked(error) : error;
    }
  }

  function callAs(
    visitor: Visitor,
    operation_id: string,
    { source_address, key, ...call }: VisitorCall,
    shared: SharedRead | null,
  ): Promise<unknown> {
    const found = find(operation_id);
    const { area } = found.operation;
    const role = roleFor(visitor, area, effectOf(found.operation), call.company_id ?? null);
    if (role === null) throw forbidden(visitor);
    const { actor } = visitor;
    return finish(perform(ports, found, { ...call, role, actor }, { visitor, source_address, key }, shared));
  }

  return {
    operations: new Map(operations.map((one) => [one.id, one])),
    async call(operation_id, call) {
      const found = find(operation_id);
      const { method, runs_alone } = found.operation;
      if (call.unitOfWork !== undefined && runs_alone !== undefined) {
        throw new UnusableTransaction(`${method} takes no tx, because ${runs_alone}; call it without one`);
      }
      return await finish(perform(ports, found, call, null));
    },
    may(visitor, operation_id, company_id) {
      const found = callable.get(operation_id);
      return (
        found !== undefined && roleFor(visitor, found.operation.area, effectOf(found.operation), company_id) !== null
      );
    },
    callAs: async (visitor, operation_id, call) => await callAs(visitor, operation_id, call, null),
    async readAs(visitor, operation_ids, company_id, work) {
      await ports.refreshClock?.();
      const named = new Set(operation_ids);
      const before = new Set<NonNullable<ReadOperation['before']>>();
      for (const operation_id of named) {
        const { operation } = find(operation_id);
        assert('read' in operation, `${operation_id} is not a read in one transaction`);
        const role = roleFor(visitor, operation.area, 'read', company_id);
        if (operation.before === undefined || role === null || before.has(operation.before)) continue;
        before.add(operation.before);
        await operation.before({ caller: checkCaller({ role, company_id, actor: visitor.actor }, operation.area) });
      }
      return await ports.unitOfWork.read(async (tx) => {
        const shared: SharedRead = { tx, checked: new Map() };
        const reads: Promise<unknown>[] = [];
        let is_over = false;
        try {
          return await work(async (operation_id, call) => {
            assert(named.has(operation_id), `${operation_id} is not among the operations of this transaction`);
            assert(!is_over, `${operation_id} is called after the transaction`);
            const read = callAs(visitor, operation_id, call, shared);
            reads.push(read);
            return await read;
          });
        } finally {
          is_over = true;
          // After one that failed, others may be in progress.
          await Promise.allSettled(reads);
        }
      });
    },
  };
}

/** Work that may write is a change unless the operation says that it only reads. */
function effectOf(operation: Operation): Effect {
  return 'read' in operation || ('only_reads' in operation && operation.only_reads) ? 'read' : 'change';
}

function forbidden({ grants }: Visitor): Refusal {
  const roles = [...new Set(grants.map(({ role }) => role))].join(', ') || 'no role';
  return new Refusal('forbidden', `you have ${roles}, which does not permit this here; ask an administrator`);
}

/** The transaction of several reads. */
interface SharedRead {
  readonly tx: OperationTx;
  /** The checks that the companies are open, by company. */
  readonly checked: Map<number | null, Promise<void>>;
}

interface Visiting {
  readonly visitor: Visitor;
  readonly source_address: string | null;
  readonly key: string | undefined;
}

async function perform(
  ports: CallPorts,
  { operation, readOptions }: Callable,
  sent: HostCall,
  visiting: Visiting | null,
  shared: SharedRead | null = null,
): Promise<unknown> {
  const { actor, ...caller } = checkCaller(sent, operation.area);
  const parameters = readParameters(textsOf(operation, sent.parameters ?? {}));
  const { query, beside_data, prefers_early } = readOptions(sent.options ?? {});
  const body = bodyOf(operation, sent, beside_data);
  const unitOfWork = sent.unitOfWork?.() ?? ports.unitOfWork;
  // On a shared connection the refresh would wait for the end of the host's transaction.
  if (sent.unitOfWork === undefined && shared === null) await ports.refreshClock?.();
  const request_id = ports.requestIdOf(sent.request_id);
  const now_ms = ports.clock.nowMs();
  const who = { caller, actor, request_id, source_address: visiting?.source_address ?? null };
  const call: OperationCall = { ...who, now_ms, ...parameters, query, body, linkTo };
  const { company_id } = caller;
  if (visiting !== null) {
    const { visitor } = visiting;
    const passed = 'passesOn' in operation ? (operation.passesOn?.(call) ?? null) : null;
    const is_forbidden =
      (showsNumber(operation, call) && roleFor(visitor, 'card_numbers', 'read', company_id) === null) ||
      (passed !== null && roleFor(visitor, passed, 'change', company_id) === null);
    if (is_forbidden) throw forbidden(visitor);
  }
  const key = visiting?.key;
  // A repeat would show the number of a card again.
  const is_once = key !== undefined && ports.once.takesKey(operation.id) && !showsNumber(operation, call);
  const once = (run: RunPart, work: () => Promise<unknown>) =>
    is_once ? callOnce(run, ports.once, { ...call, key }, work) : work();
  try {
    const check = (tx: OperationTx) => requireOpenCompany(tx, company_id);
    if (shared !== null) {
      assert('read' in operation && operation.showsNumber?.(call) !== true, `${operation.id} would write`);
      const checked = shared.checked.get(company_id) ?? check(shared.tx);
      shared.checked.set(company_id, checked);
      await checked;
      return await operation.read(shared.tx, call);
    }
    if (operation.runs_alone !== undefined && company_id !== null) await ports.unitOfWork.read(check);
    if ('receive' in operation) {
      const pieces = piecesOf(sent.file, operation.file_bytes_max ?? Number.POSITIVE_INFINITY);
      return await operation.receive({ ...call, body: undefined }, pieces, { prefers_early, keepFor });
    }
    if ('perform' in operation) {
      return await once(
        (part) => ports.unitOfWork.run(part),
        () => operation.perform(call),
      );
    }
    if ('read' in operation) await operation.before?.(call);
    return await runTransaction(operation, call, unitOfWork, async (tx, work) => {
      // In the transaction, so that a company that it created exists.
      if (operation.runs_alone === undefined) await check(tx);
      return await once((part) => part(tx), work);
    });
  } catch (error) {
    throw nameFields(error, '', option_names);
  }
}

function showsNumber(operation: Operation, call: OperationCall): boolean {
  return 'showsNumber' in operation && operation.showsNumber?.(call) === true;
}

const linkTo = (path: string): string => path;
const keepFor = (): void => undefined;

/** The texts of the parameters. To leave one out is a mistake of the host's program. */
function textsOf({ method, parameters = [] }: Operation, sent: NonNullable<HostCall['parameters']>) {
  const unknown = Object.keys(sent).find((name) => !parameters.includes(name as Parameter));
  if (unknown !== undefined) throw new TypeError(`${method} has no argument ${unknown}`);
  return Object.fromEntries(
    parameters.map((name) => {
      const value = sent[name];
      if (typeof value === 'string' || typeof value === 'number') return [name, String(value)];
      throw new TypeError(`${method} needs the argument ${name}: a number or a text`);
    }),
  );
}

function bodyOf(operation: Prepared, call: HostCall, beside_data: Readonly<Record<string, unknown>>): unknown {
  if (operation.body === undefined) return undefined;
  const data = operation.data_is_optional && call.data === undefined ? {} : call.data;
  const sent = {
    ...(toPlainJson(beside_data, 'options') as object),
    ...(data === undefined ? {} : { data: toPlainJson(data, 'data') }),
  };
  return checkBody(operation, sent, 'data');
}

/** The refusal without card numbers, which a host may have sent in a wrong place. */
function masked(refusal: Refusal): Refusal {
  const message = maskCardNumbers(refusal.message);
  const fields = refusal.fields.map((field) => ({
    path: maskCardNumbers(field.path),
    message: maskCardNumbers(field.message),
  }));
  const is_same =
    message === refusal.message &&
    fields.every(({ path, message }, at) => {
      const field = refusal.fields[at];
      return field?.path === path && field.message === message;
    });
  return is_same ? refusal : new Refusal(refusal.code, message, fields);
}
