export { presentAccount } from './accounts/operations.ts';
export { presentBacktest } from './backtests/operations.ts';
export { line_bytes_max } from './bank/records.ts';
export { nesting_max, values_max } from './call/body.ts';
export { createInterruption } from './call/interruption.ts';
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
export type { OperationCaller } from './calls/caller.ts';
export { type CallPorts, type Calls, createCalls, type HostCall, type VisitorCall } from './calls/calls.ts';
export type { FileInput } from './calls/file-input.ts';
export { delivered_names, event_kinds } from './events/shapes.ts';
export { type MinimalItem, minimal_item, shown_instant, type_names } from './fields.ts';
export type { Results } from './generated/results.ts';
export { presentImport, presentStatement } from './imports/operations.ts';
export { describeOperations, listOperations, type OperationPorts } from './listing.ts';
export { authorization_item, unread_authorization } from './network/shapes.ts';
export * from './operation.ts';
export { presentApiKey, presentCompany } from './operator/presenter.ts';
export { presentAuditEntry } from './oversight/presenter.ts';
export { presentPerson } from './people/presenter.ts';
export { presentQuarantined } from './quarantine/operations.ts';
export type { ReadTable } from './reconciliation/operations.ts';
export {
  presentApproval,
  presentExplainedItem,
  presentItem,
  presentLine,
  presentPeriod,
} from './reconciliation/presenter.ts';
export { presentBridge, presentSummary } from './reconciliation/report-presenter.ts';
export { presentTolerances } from './reconciliation/tolerances.ts';
export type { Sandbox } from './sandbox/operations.ts';
export { presentTemplate, templateStatusPath } from './templates/presenter.ts';
export { presentThirdParty } from './third-parties/operations.ts';
export { presentCodeFailures } from './virtual-cards/presenter.ts';
export type { WebhookServices } from './webhooks/operations.ts';
export { webhook_state } from './webhooks/shapes.ts';
