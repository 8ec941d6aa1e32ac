export { countsAfterReplay, type ReplayedCounts, type ReplayOptions, replayImport } from './applying/replay-import.ts';
export { unknown_format } from './formats/choose-format.ts';
export * from './formats/clearing-format.ts';
export { FileProblem, noteRecords } from './formats/file-problem.ts';
export { createFormats, type Formats } from './formats/formats.ts';
export type { RecordPlace } from './formats/record-place.ts';
export * from './import.ts';
export * from './import-store.ts';
export { continueImports } from './importing/continue-imports.ts';
export { type ImportOutcome, importFile } from './importing/import-file.ts';
export { import_lease_ms } from './importing/import-lease.ts';
export {
  type ImportOptions,
  type ImportProgress,
  ImportStopped,
  nothing_done,
  type ResumedSettings,
} from './importing/import-run.ts';
export { type ReleaseOptions, releaseImport } from './importing/release-import.ts';
export {
  inspectImport,
  listImportQuarantine,
  listImportStatements,
  listImports,
  listOtherRecords,
  readImport,
  resealImports,
  type ShownOtherRecord,
} from './manage-imports.ts';
export * from './ports.ts';
export * from './previewing/preview-file.ts';
export type { PreviewedRecord } from './previewing/previewed-record.ts';
export { chunkText, gatherChunks, joinBytes } from './reading/chunks.ts';
export { LineReader, type RawLine } from './reading/lines.ts';
export { boundElement, SourceText, type TagStart, xml_bounds } from './reading/source-text.ts';
export { decodeText, readText, textHead } from './reading/text-bytes.ts';
export { escapeXml, run_bytes_max, type XmlPart, XmlTextReader } from './reading/xml-text.ts';
export { countOther, type OtherRecords } from './staging/count-others.ts';
export type { ImportSource } from './staging/import-source.ts';
export * from './statements/import-statement.ts';
export * from './statements/statement-items.ts';
export {
  releasable_statement_codes,
  type StatementProblem,
} from './statements/statement-problem.ts';
