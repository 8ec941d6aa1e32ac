import type { Role } from '@tallystick/access';
import { createFairShare, type FairShare } from '@tallystick/kernel';
import { Overloaded } from './admission.ts';
import type { BodyPace } from './body-pace.ts';

/** The most uploads of each role at the same time. */
export const uploads_max = 8;

/** Bounds the files that are received and worked on at the same time, and how fast they arrive. */
export interface Uploads {
  /**
   * Runs the work of an upload. Rejects with `Overloaded` when the owner has its share of the
   * uploads of its role already, and then the work does not run.
   */
  during<Result>(role: Role, owner: string, work: (place: UploadPlace) => Promise<Result>): Promise<Result>;
}

/** The place of one upload among those at the same time. */
export interface UploadPlace {
  /** Takes the bytes of a piece, and returns how long the next one waits, milliseconds. */
  toWait(bytes: number): number;
  /** Keeps the place until `rest` settles: work that goes on after the answer. Called once. */
  keepFor(rest: Promise<unknown>): void;
}

/**
 * At most `max` uploads of each role, of which each owner has a fair share: the files of clients keep
 * no operator from an import. All of them share one pace.
 */
export function createUploads(max: number, pace: BodyPace): Uploads {
  const shares = new Map<Role, FairShare>();
  return {
    async during(role, owner, work) {
      const share = shares.get(role) ?? createFairShare(max);
      shares.set(role, share);
      if (!share.mayTake(owner)) throw new Overloaded();
      share.take(owner);
      const release = () => share.release(owner);
      const toWait = pace.open('uploads');
      let rest: Promise<unknown> = Promise.resolve();
      try {
        return await work({
          toWait: (bytes) => toWait(bytes) ?? 0,
          keepFor(promise) {
            rest = promise;
          },
        });
      } finally {
        rest.then(release, release);
      }
    },
  };
}
