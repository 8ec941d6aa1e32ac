export * from './delivery-queue.ts';
export { loadWindows } from './ledger/load-records.ts';
export * from './mailer.ts';
export * from './persistence.ts';
export { newState, type State } from './storage/state.ts';
export type { Table, TableChange } from './storage/table.ts';
export * from './vault.ts';
