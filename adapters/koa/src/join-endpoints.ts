import { giveWayWith, type Timers } from '@tallystick/kernel';
import { listOperations, type Operation, type OperationPorts, type Prepared, prepare } from '@tallystick/operations';
import * as z from 'zod';
import { type Endpoint, endpoints, type Method, messages_path } from './endpoints.ts';
import { type Log, toLoggedError } from './operations/log.ts';
import { readRecordLines } from './request/record-lines.ts';
import { spooled } from './request/spool.ts';

/** An operation at its endpoint, with the checks that are derived once. */
export interface Route extends Omit<Endpoint, 'at'> {
  readonly method: Method;
  readonly path: string;
  readonly operation: Prepared;
  /** Whether a list reduces its items when the caller prefers minimal ones. */
  readonly reduces_items: boolean;
}

/** What the operations need that this adapter does not have itself. */
export interface RoutePorts extends Omit<OperationPorts, 'spool' | 'readRecordLines' | 'importFailed'> {
  /** A pino logger with `logOptions`, or a similar logger. */
  readonly log: Log;
  readonly timers: Timers;
  /** Where bodies are kept until they were read whole; the folder for temporary files when absent. */
  readonly spool_folder?: string;
}

/** Returns the operations, which keep files on the disk while they arrive. */
export function createOperations(ports: RoutePorts): readonly Operation[] {
  return listOperations({
    ...ports,
    spool: (body, work) => spooled(body, work, ports.random, ports.spool_folder),
    readRecordLines: (bytes) => readRecordLines(bytes, giveWayWith(ports.timers)),
    importFailed(error, import_id, request_id) {
      ports.log.error({ request_id, import_id, err: toLoggedError(error) }, 'import failed');
    },
  });
}

/** Returns the routes of the operations, in the order of their endpoints. */
export function routesOf(operations: readonly Operation[]): readonly Route[] {
  const by_id = new Map(operations.map((operation) => [operation.id, operation]));
  const lost = operations.find(({ id }) => !Object.hasOwn(endpoints, id));
  if (lost !== undefined) throw new TypeError(`the operation ${lost.id} has no endpoint in endpoints.ts`);
  return Object.entries(endpoints).flatMap(([id, { at, ...endpoint }]) => {
    const operation = by_id.get(id);
    if (operation === undefined) return [];
    const [method, path] = at.split(' ') as [Method, string];
    const reduces_items = operation.query?.paged === true && (hasUrl(operation) || endpoint.minimal !== undefined);
    return [{ ...endpoint, method, path, operation: prepare(operation), reduces_items }];
  });
}

/** The paths of the card network's messages. */
export const network_paths: ReadonlySet<string> = new Set([
  ...Object.values(endpoints)
    .filter(({ tag }) => tag === 'Network')
    .map(({ at }) => at.slice(at.indexOf('/'))),
  messages_path,
]);

/** Whether the items of a list have a path of their own. */
function hasUrl({ answer }: Operation): boolean {
  const [item] = answer instanceof z.ZodArray ? [answer.element].flatMap(optionsOf) : [];
  return item instanceof z.ZodObject && Object.hasOwn(item.shape, 'url');
}

function optionsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  return schema instanceof z.ZodUnion ? schema.options : [schema];
}
