import { maskCardNumbers } from '@tallystick/kernel';
import type { FileEnd } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import type { ImportProblem } from '../import.ts';
import type { ImportRecord, ImportStore, PlaceInSeries } from '../import-store.ts';

/** A file that was read to its end: what its header says, and how the reading ended. */
export interface ReadFile {
  readonly record: PlaceInSeries & Pick<ImportRecord, 'file_id' | 'statements'>;
  readonly ending: FileEnd | FileProblem;
  /** What was found while it was read (`Import.warnings`). */
  readonly warnings: readonly string[];
}

/** What is decided about a file that was read to its end. */
export type FileDecision = Pick<ImportRecord, 'status' | 'phase' | 'problem' | 'warnings'>;

/**
 * Decides about a staged file, in a transaction that has the lock of decisions: refuses what the
 * format does not accept, holds what needs a person, and otherwise lets its records be applied, or
 * its statements be checked.
 */
export async function decideFile(
  imports: Pick<ImportStore, 'findSameFile' | 'findPrevious'>,
  { record, ending, warnings: found }: ReadFile,
  { is_production }: { readonly is_production: boolean },
): Promise<FileDecision> {
  if (ending instanceof FileProblem) {
    const { status, code, message, offset } = ending;
    return { status, phase: null, problem: { code, message, offset }, warnings: [] };
  }
  const warnings = [...(await findGap(imports, record)), ...found];
  const problem = await findReasonToHold(imports, record, is_production);
  return problem === null
    ? { status: 'running', phase: record.statements > 0 ? 'queued' : 'applying', problem, warnings }
    : { status: 'held', phase: null, problem, warnings };
}

async function findReasonToHold(
  imports: Pick<ImportStore, 'findSameFile'>,
  { id, format, file_id, mode, statements }: ReadFile['record'],
  is_production: boolean,
): Promise<ImportProblem | null> {
  if (mode === 'test' && is_production) {
    return { code: 'test_file', message: 'the header says that this is a test file', offset: null };
  }
  // A bank may write the same statements again in other bytes. They are recognised one by one.
  const same = file_id === null || statements > 0 ? null : await imports.findSameFile({ id, format, file_id });
  if (same === null) return null;
  const message = `import ${same.id} has the same file id, ${maskCardNumbers(same.file_id ?? '')}, and other bytes`;
  return { code: 'file_id_repeated', message, offset: null };
}

/**
 * A warning unless the file follows the previous one of its series, or is the first of a new day.
 */
async function findGap(imports: Pick<ImportStore, 'findPrevious'>, file: PlaceInSeries): Promise<readonly string[]> {
  const { sequence, created_on } = file;
  if (sequence === null) return [];
  const previous = await imports.findPrevious(file);
  if (previous === null || previous.sequence === null) return [];
  const is_next = sequence === previous.sequence + 1;
  const is_first_of_day = sequence === 1 && created_on !== previous.created_on;
  if (is_next || is_first_of_day) return [];
  return [
    `the sequence has a gap: the previous file of the series is number ${previous.sequence} (import ${previous.id}), and this one is number ${sequence}`,
  ];
}
