import { LeaseLost } from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import type { Import } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import { claimAndFinish } from '../importing/finish-import.ts';
import { type ImportOptions, ImportRun, ImportStopped } from '../importing/import-run.ts';
import type { ImportPorts } from '../ports.ts';
import { checkStatements } from './check-statements.ts';
import { stagedTotals } from './staged-statements.ts';

const waiting_at_once = 100;

/**
 * Applies the held imports that waited for an account, or for a statement, that is there now. One
 * that is applied can be what another waits for, so all are tried again until none is left that can
 * be applied. Returns how many it applied. Rejects with `ImportStopped` when the signal is aborted.
 */
export async function applyWaiting(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  { signal, onWaitingEnded }: Pick<ImportOptions, 'signal' | 'onWaitingEnded'>,
): Promise<number> {
  let applied = 0;
  for (let is_any = true; is_any; ) {
    is_any = false;
    for await (const waiting of listWaiting(ports)) {
      if (signal?.aborted) throw new ImportStopped();
      if (!(await hasChanged(ports, waiting))) continue;
      const ended = await tryAgain(ports, call, waiting.id, signal);
      if (ended === null || ended.status === 'held') continue;
      is_any = true;
      applied += 1;
      onWaitingEnded?.(ended);
    }
  }
  return applied;
}

async function* listWaiting({ unitOfWork }: ImportPorts): AsyncGenerator<ImportRecord> {
  for (let after_id = 0; ; ) {
    const waiting = await unitOfWork.read(({ imports }) => imports.listWaiting(after_id, waiting_at_once));
    const last = waiting.at(-1);
    if (last === undefined) return;
    after_id = last.id;
    yield* waiting;
  }
}

/** Whether its statements have another problem now, or none: a look at them without their lines. */
async function hasChanged(ports: ImportPorts, { id, problem, accepted_problems }: ImportRecord): Promise<boolean> {
  const now = await checkStatements(ports, await stagedTotals(ports, id), accepted_problems);
  return now.problem?.code !== problem?.code;
}

/** Checks a held import again, and applies it if it can be. Null: it is not held any more. */
async function tryAgain(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  signal: AbortSignal | undefined,
): Promise<Import | null> {
  try {
    return await claimAndFinish(new ImportRun(ports, call, { signal }), id, (record) => {
      if (record.status !== 'held' || record.waits_for === null) return null;
      return { ...record, status: 'running', phase: 'queued', problem: null, waits_for: null, finished_at_ms: null };
    });
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  }
}
