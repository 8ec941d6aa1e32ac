import type { UnitOfWork } from './unit-of-work.ts';

/**
 * The unit of work with a hook that is called after each commit of `run`: not after a rollback, and
 * not after `read`. The hook must return at once and must not throw, because the change is durable
 * already.
 */
export function callAfterCommit<Tx>(unitOfWork: UnitOfWork<Tx>, hook: () => void): UnitOfWork<Tx> {
  return {
    async run(work) {
      const result = await unitOfWork.run(work);
      hook();
      return result;
    },
    read: (work) => unitOfWork.read(work),
  };
}
