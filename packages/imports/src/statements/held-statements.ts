import { Refusal } from '@tallystick/kernel';
import type { ImportRecord } from '../import-store.ts';
import { claimAndFinish } from '../importing/finish-import.ts';
import type { ImportRun } from '../importing/import-run.ts';
import type { ImportPorts } from '../ports.ts';
import type { ImportStatement } from './import-statement.ts';

/** The held statements of an import, by their numbers. */
export function heldOf(
  { unitOfWork }: Pick<ImportPorts, 'unitOfWork'>,
  id: number,
): Promise<readonly ImportStatement[]> {
  return unitOfWork.read(({ imports }) => imports.statements(id, ['held']));
}

/** The held statement of this number, or all of them. Refuses `conflict` when it is not held. */
export function chooseHeld(
  held: readonly ImportStatement[],
  import_id: number,
  number: number | undefined,
): readonly ImportStatement[] {
  const chosen = held.filter((one) => number === undefined || one.number === number);
  if (chosen.length > 0 || number === undefined) return chosen;
  throw new Refusal('conflict', `statement ${number} of import ${import_id} is not held`);
}

/**
 * The import as it is decided about again, with these of its held statements. Null: it is at work,
 * or nothing of it is held.
 */
export function queued(record: ImportRecord): ImportRecord | null {
  const { status } = record;
  if (status !== 'held' && status !== 'completed_with_quarantine') return null;
  return { ...record, status: 'running', phase: 'queued', problem: null, finished_at_ms: null };
}

/** Decides about held statements of an import again. Null: another process is at work on it. */
export function stageAgain(run: ImportRun, id: number, held: readonly ImportStatement[]): Promise<ImportRecord | null> {
  return claimAndFinish(run, id, async (record, { imports }) => {
    const begun = queued(record);
    if (begun === null) return null;
    const of_number = new Set(held.map(({ number }) => number));
    const still = (await imports.statements(id, ['held'])).filter(({ number }) => of_number.has(number));
    if (still.length === 0) return null;
    await imports.putStatements(still.map((one) => ({ ...one, status: 'staged' })));
    return begun;
  });
}
