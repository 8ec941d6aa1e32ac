export { unknown_format } from './choose-format.ts';
export * from './clearing-format.ts';
export { continueImports } from './continue-imports.ts';
export { countOther, type OtherRecords } from './count-others.ts';
export { countsAfterReplay, type ReplayedCounts } from './counts-after-replay.ts';
export * from './formats.ts';
export * from './import.ts';
export { type ImportOutcome, importFile } from './import-file.ts';
export { import_lease_ms } from './import-lease.ts';
export * from './import-ports.ts';
export {
  type ImportOptions,
  type ImportProgress,
  ImportStopped,
  nothing_done,
  type ResumedSettings,
} from './import-run.ts';
export type { ImportSource } from './import-source.ts';
export * from './import-store.ts';
export {
  inspectImport,
  listImportQuarantine,
  listImports,
  readImport,
  resealImports,
} from './manage-imports.ts';
export { listOtherRecords, type ShownOtherRecord } from './other-records.ts';
export * from './preview-file.ts';
export type { PreviewedRecord } from './previewed-record.ts';
export { releaseImport } from './release-import.ts';
export { replayImport } from './replay-import.ts';
