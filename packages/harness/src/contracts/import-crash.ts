import type { ImportPorts } from '@tallystick/imports';
import type { ImportWorld } from './import-world.ts';

/** The process ends here. */
export class Crash extends Error {}

/** Ports that crash at the commit with this number, before or after it. */
export function crashingAt(world: ImportWorld, at: number, when: 'before' | 'after'): Partial<ImportPorts> {
  const { unitOfWork, ledger } = world.storage;
  let commits = 0;
  async function commit<Result>(run: () => Promise<Result>): Promise<Result> {
    commits += 1;
    const is_last = commits === at;
    if (commits > at || (is_last && when === 'before')) throw new Crash();
    const result = await run();
    if (is_last) throw new Crash();
    return result;
  }
  return {
    unitOfWork: { run: (work) => commit(() => unitOfWork.run(work)), read: (work) => unitOfWork.read(work) },
    ledger: { ...ledger, pass: (messages, fold, bounds) => commit(() => ledger.pass(messages, fold, bounds)) },
  };
}
