import { LeaseLost } from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import type { ImportRecord } from '../import-store.ts';
import { type ImportOptions, ImportRun, ImportStopped } from '../importing/import-run.ts';
import type { ImportPorts } from '../ports.ts';
import { heldOf, stageAgain } from './held-statements.ts';
import type { ImportStatement } from './import-statement.ts';
import { placeStatements } from './place-statements.ts';

const waiting_at_once = 100;

/**
 * Applies the held statements that waited for an account, or for a statement, that is there now. One
 * that is applied can be what another waits for, so all are tried again until none is left that can
 * be applied. Returns of how many imports it applied some. Rejects with `ImportStopped` when the
 * signal is aborted.
 */
export async function applyWaiting(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  { signal, onWaitingEnded }: Pick<ImportOptions, 'signal' | 'onWaitingEnded'>,
): Promise<number> {
  let applied = 0;
  for (let is_any = true; is_any; ) {
    is_any = false;
    for await (const id of listWaiting(ports)) {
      if (signal?.aborted) throw new ImportStopped();
      const held = await heldOf(ports, id);
      const waiting = held.filter(({ problem }) => problem !== null && problem.waits_for !== null);
      if (!(await hasChanged(ports, waiting))) continue;
      const ended = await tryAgain(ports, call, id, waiting, signal);
      if (ended === null || (await heldOf(ports, id)).length === held.length) continue;
      is_any = true;
      applied += 1;
      onWaitingEnded?.(ended);
    }
  }
  return applied;
}

async function* listWaiting({ unitOfWork }: ImportPorts): AsyncGenerator<number> {
  for (let after_id = 0; ; ) {
    const ids = await unitOfWork.read(({ imports }) => imports.listWaiting(after_id, waiting_at_once));
    const last = ids.at(-1);
    if (last === undefined) return;
    after_id = last;
    yield* ids;
  }
}

/** Whether one of them has another problem now, or none: a look at them without their lines. */
async function hasChanged(ports: ImportPorts, waiting: readonly ImportStatement[]): Promise<boolean> {
  const now = await placeStatements(ports, waiting);
  return waiting.some(({ number, problem }) => now.held.get(number)?.code !== problem?.code);
}

/** Decides about held statements again. Null: another process has done so. */
async function tryAgain(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  waiting: readonly ImportStatement[],
  signal: AbortSignal | undefined,
): Promise<ImportRecord | null> {
  try {
    return await stageAgain(new ImportRun(ports, call, { signal }), id, waiting);
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  }
}
