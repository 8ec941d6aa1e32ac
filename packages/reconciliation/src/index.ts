export * from './act.ts';
export { actOnItem } from './acts/act-on-item.ts';
export type { ActPorts, ActTx } from './acts/act-plan.ts';
export * from './acts/act-request.ts';
export * from './acts/standing-acts.ts';
export {
  decideByTable,
  type TableAnswer,
  table_decisions_max,
  table_errors_max,
} from './acts/table/decide-by-table.ts';
export * from './acts/table/decision-table.ts';
export * from './calendar.ts';
export * from './item.ts';
export * from './item-id.ts';
export * from './items/age.ts';
export * from './items/compose-items.ts';
export * from './items/explain-item.ts';
export * from './items/find-item.ts';
export * from './items/item-filter.ts';
export { type FrozenRecords, nothing_frozen } from './items/item-parts.ts';
export * from './items/read-items.ts';
export * from './keeping/break-events.ts';
export * from './keeping/cells.ts';
export * from './keeping/keep-up.ts';
export * from './keeping/rebuild.ts';
export * from './keeping/recompute.ts';
export * from './pairing/covering-sets.ts';
export { entryKeyOfClearing, entryKeyOfLine } from './pairing/entry-key.ts';
export { covering_members_max } from './pairing/find-sums.ts';
export * from './pairing/pair-lines.ts';
export * from './pairing/pair-records.ts';
export { closePeriod } from './periods/close-period.ts';
export { isFrozenBy, isOpenBreakOf, listPeriods, type PeriodPorts } from './periods/period.ts';
export { reopenPeriod } from './periods/reopen-period.ts';
export * from './ports.ts';
export * from './records.ts';
export * from './reports/bridge.ts';
export * from './reports/item-table.ts';
export * from './reports/ports.ts';
export * from './reports/read-bridge.ts';
export * from './reports/rules-report.ts';
export * from './reports/summary.ts';
export * from './statement-key.ts';
export * from './table-cell.ts';
