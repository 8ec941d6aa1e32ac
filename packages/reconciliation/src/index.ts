export * from './act.ts';
export { actOnItem } from './act-on-item.ts';
export type { ActPorts, ActTx } from './act-plan.ts';
export { recordsOfAct } from './act-records.ts';
export * from './act-request.ts';
export * from './acts.ts';
export * from './age.ts';
export * from './break-events.ts';
export * from './bridge.ts';
export * from './calendar.ts';
export { closePeriod, listPeriods, type PeriodPorts, reopenPeriod } from './close-period.ts';
export * from './compose-all.ts';
export * from './compose-items.ts';
export * from './covering-sets.ts';
export {
  decideByTable,
  type TableAnswer,
  table_decisions_max,
  table_errors_max,
} from './decide-by-table.ts';
export * from './decision-table.ts';
export { entryKeyOfClearing, entryKeyOfLine } from './entry-key.ts';
export * from './explain-item.ts';
export * from './export-items.ts';
export * from './find-item.ts';
export { covering_members_max } from './find-sums.ts';
export * from './fingerprint.ts';
export * from './item.ts';
export * from './item-filter.ts';
export * from './item-id.ts';
export { type FrozenRecords, nothing_frozen } from './item-parts.ts';
export * from './item-table.ts';
export type { Coverage } from './judge-item.ts';
export * from './keep-up.ts';
export * from './match-cells.ts';
export * from './pair-lines.ts';
export * from './pair-records.ts';
export * from './period.ts';
export * from './ports.ts';
export * from './read-bridge.ts';
export * from './read-items.ts';
export * from './read-rules.ts';
export * from './read-summary.ts';
export * from './rebuild.ts';
export * from './recompute.ts';
export * from './record-of.ts';
export * from './records.ts';
export type { SeenItem } from './refuse-act.ts';
export * from './report-ports.ts';
export * from './statement-key.ts';
export * from './summary.ts';
export * from './table-cell.ts';
