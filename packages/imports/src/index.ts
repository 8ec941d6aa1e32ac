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
export { chunkText } from './reading/chunk-text.ts';
export { escapeXml } from './reading/escape-xml.ts';
export { gatherChunks } from './reading/gather-chunks.ts';
export { joinBytes } from './reading/join-bytes.ts';
export { LineReader, type RawLine } from './reading/lines.ts';
export { noteRecords } from './reading/note-records.ts';
export { run_bytes_max, type XmlPart, XmlTextReader } from './reading/xml-text.ts';
export type { RecordPlace } from './record-place.ts';
export { releaseImport } from './release-import.ts';
export { replayImport } from './replay-import.ts';
export * from './statements/statement-items.ts';
export { type StatementProblemCode, statement_problem_codes } from './statements/statement-problem.ts';
