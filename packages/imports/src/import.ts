/** What became of a file. */
export const import_statuses = [
  /** It is being read, or its records are being applied. */
  'running',
  'completed',
  /** Some records are in quarantine, or statements are held. All others are applied. */
  'completed_with_quarantine',
  /** Read and checked, and nothing of it is applied. */
  'held',
  /** The file is not what it claims to be. Nothing was applied. */
  'refused',
  /** The file ends too early. Nothing was applied. */
  'truncated',
] as const;

export type ImportStatus = (typeof import_statuses)[number];

/** The phases of a running import (clearing files: importing). */
export const import_phases = [
  /** The file is being read. */
  'staging',
  /** Clearings: they are being applied. */
  'applying',
  /** Statements: another file of statements is being checked or recorded. One is at a time. */
  'queued',
  /** Statements: they are compared with those that were recorded before. */
  'checking',
  /** Statements: their lines are being recorded. */
  'recording',
] as const;

export type ImportPhase = (typeof import_phases)[number];

/** The phases after the whole file is staged. An import in one of them needs its file no more. */
export const staged_phases: readonly ImportPhase[] = import_phases.slice(1);

/** Why a file was held, refused or truncated. */
export interface ImportProblem {
  /** snake_case, stable: `trailer_missing`. */
  readonly code: string;
  /** Contains no card number. */
  readonly message: string;
  /** Bytes from the start of the file, where that is known. */
  readonly offset: number | null;
}

/** A statement of a file that is held, and why. */
export interface HeldStatement extends ImportProblem {
  /** Its place among the statements of the file, from 1: `release` and `replay` take it. */
  readonly number: number;
  /** As the file states it. Contains no card number. */
  readonly account_number: string;
  readonly reference: string | null;
  /** YYYY-MM-DD. */
  readonly as_of: string;
  readonly lines: number;
  /** The account that is to be opened, or of which a statement is missing; null: a person. */
  readonly waits_for: string | null;
}

/** How many held statements an import itself names. */
export const named_statements_max = 100;

/** The profile by which a file was read. */
export interface ReadWith {
  readonly profile: string;
  /** Of its settings as JSON in one order, in hexadecimal: equal for equal settings. */
  readonly settings_sha256: string;
}

/** How many of the applied records had which result. */
export interface ImportCounts {
  /** Clearings recorded on their cards, or lines recorded on their accounts. */
  readonly applied: number;
  /** Clearings or lines that were recorded before. */
  readonly duplicates: number;
  /** Records in quarantine. */
  readonly quarantined: number;
  /** Applied clearings that matched an authorization or an earlier clearing. */
  readonly matched: number;
  /** Applied clearings that disagree with what was authorized: see `isBreak`. */
  readonly breaks: number;
}

/** A file of the network that was imported, is being imported, or was not accepted. */
export interface Import extends ImportCounts {
  readonly id: number;
  /** The name of the file. */
  readonly name: string;
  readonly format: string;
  /** The name of the profile that was asked for; null: none was, and the header row decided. */
  readonly profile: string | null;
  /**
   * The profile by which it was read, named or found; null when its format has no profiles, none
   * fits, or an earlier version read it.
   */
  readonly read_with: ReadWith | null;
  /** Of the bytes of the file, in hexadecimal; null until all of them were read. */
  readonly sha256: string | null;
  /** What the header says; see `FileHeader`. */
  readonly file_id: string | null;
  readonly series: string | null;
  readonly sequence: number | null;
  readonly created_on: string | null;
  readonly status: ImportStatus;
  /** Null unless `running`. */
  readonly phase: ImportPhase | null;
  /** Bytes read, those of the last checkpoint while it is running. */
  readonly bytes: number;
  /** Records read, header and trailer included. */
  readonly records: number;
  /** Bank statements of the file; 0 for a file of clearings. */
  readonly statements: number;
  /** Records that are neither clearings nor of a statement, by their type. */
  readonly other_records: Readonly<Record<string, number>>;
  /** The totals of the trailer, in the words of the format. */
  readonly control_totals: Readonly<Record<string, string>>;
  /** What an operator should look at, though the file was accepted. */
  readonly warnings: readonly string[];
  readonly problem: ImportProblem | null;
  /** Lines of held statements. */
  readonly held: number;
  /** The first held statements, at most `named_statements_max`. */
  readonly held_statements: readonly HeldStatement[];
  readonly started_at_ms: number;
  readonly finished_at_ms: number | null;
  /** Why a person released it. */
  readonly note: string | null;
}

/** The records that can be applied, and the header and the trailer of the file. */
export function applicableRecords({
  records,
  statements,
  other_records,
}: Pick<Import, 'records' | 'statements' | 'other_records'>): number {
  return records - statements - Object.values(other_records).reduce((sum, count) => sum + count, 0);
}

/** The records that were applied or refused so far. */
export function doneRecords({ applied, duplicates, quarantined }: ImportCounts): number {
  return applied + duplicates + quarantined;
}
