import { invalid, Refusal, type UnitOfWork } from '@tallystick/kernel';
import type { Operation, OperationCall, OperationTx, ReadOperation, WriteOperation } from '../operation.ts';
import { createFieldCheck, type FieldCheck, parseShape } from './body.ts';
import { type QueryNames, renamed } from './query.ts';

/** An operation with the check that is derived from it once. */
export type Prepared<Kind extends Operation = Operation> = Kind & { readonly checkFields: FieldCheck };

/** Derives the checks of an operation. They are the same for a request and for a call in process. */
export function prepare(operation: Operation): Prepared {
  return { ...operation, checkFields: createFieldCheck(operation) };
}

/**
 * Checks the names and the shape of a body: `data`, and members beside it. Refuses
 * (`validation_failed`) with the path of each invalid field. `unwrapped`: the caller did not write
 * `data`, so that the paths begin after it, and calls the whole by this name.
 */
export function checkBody({ body, checkFields }: Prepared, value: unknown, unwrapped?: string): unknown {
  if (body === undefined) return undefined;
  if (unwrapped === undefined) return parseShape(body, checkFields(value));
  try {
    return parseShape(body, checkFields(value));
  } catch (error) {
    throw withoutData(error, unwrapped);
  }
}

function withoutData(error: unknown, whole: string): unknown {
  if (!(error instanceof Refusal) || error.code !== 'validation_failed') return error;
  const [first, ...others] = error.fields.map(({ path, message }) => ({
    path: path === 'data' ? whole : path.replace(/^data(?:\.|(?=\[))/, ''),
    message,
  }));
  return first === undefined ? error : invalid(first, ...others);
}

/**
 * Runs the transaction of an operation. `around` does its work, and what else belongs to the same
 * transaction. Work that has to be done before has been done.
 */
export async function runTransaction<Result>(
  operation: ReadOperation | WriteOperation,
  call: OperationCall,
  unitOfWork: UnitOfWork<OperationTx>,
  around: (tx: OperationTx, work: () => Promise<unknown>) => Promise<Result>,
): Promise<Result> {
  if ('read' in operation) {
    const reading = (tx: OperationTx) => around(tx, () => operation.read(tx, call));
    // The audit log has an entry for a number that is shown.
    return operation.showsNumber?.(call) ? await unitOfWork.run(reading) : await unitOfWork.read(reading);
  }
  const result = await unitOfWork.run((tx) => around(tx, () => operation.write(tx, call)));
  operation.committed?.(call);
  return result;
}

/**
 * Names the fields of a refusal of the domain as the caller wrote them: after `prefix`, and the
 * cursor of a list by its own name.
 */
export function nameFields(error: unknown, prefix: string, names: QueryNames): unknown {
  if (!(error instanceof Refusal)) return error;
  if (error.code === 'validation_failed') return prefix === '' ? error : prefixPaths(error, prefix);
  return error.fields.some(({ path }) => path === 'after')
    ? renamed(error, (path) => (path === 'after' ? names.page('after') : path))
    : error;
}

/** The domain names fields relative to the resource. The caller wrote them under `data`. */
function prefixPaths(refusal: Refusal, prefix: string): Refusal {
  const [first, ...others] = refusal.fields.map(({ path, message }) => ({ path: prefix + path, message }));
  if (first === undefined) return refusal;
  const names_first = refusal.message.startsWith(`${refusal.fields[0]?.path} `);
  return names_first ? invalid(first, ...others) : new Refusal(refusal.code, refusal.message, [first, ...others]);
}
