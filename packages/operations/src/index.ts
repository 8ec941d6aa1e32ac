export { createFieldCheck, type FieldCheck, nesting_max } from './call/known-fields.ts';
export { isId, type Parameter, readParameters } from './call/parameters.ts';
export { checkBody, nameFields, type Prepared, prepare, runTransaction } from './call/prepare.ts';
export {
  hasFilter,
  page_names,
  type Query,
  type QueryNames,
  type QueryShape,
  readPage,
  unknownFilter,
} from './call/query.ts';
export { parseShape } from './call/shape.ts';
export type { OperationCaller } from './calls/caller.ts';
export { checkCaller, requireOpenCompany } from './calls/caller.ts';
export { type CallPorts, type Calls, createCalls, type HostCall } from './calls/calls.ts';
export type { FileInput } from './calls/file-input.ts';
export { piecesOf } from './calls/file-input.ts';
export { toPlainJson } from './calls/plain-json.ts';
export * from './fields.ts';
export { listOperations, type OperationPorts } from './listing.ts';
export * from './network/shapes.ts';
export * from './operation.ts';
export * from './virtual-cards/shapes.ts';
