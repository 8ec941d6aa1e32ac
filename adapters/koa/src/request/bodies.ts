import { createFairShare } from '@tallystick/kernel';
import { Overloaded } from './admission.ts';
import type { BodyPace } from './body-pace.ts';

/** The most bytes of all bodies together unless configured otherwise. */
export const bodies_bytes_max_default = 64 * 1024 * 1024;

/**
 * Bounds the memory of all bodies that are being received or worked on (ADR 0024). It counts
 * allocated bytes, so what a sender only announces takes nothing from others.
 */
export interface Bodies {
  /** The bytes of all bodies at present. */
  readonly held_bytes: number;
  /**
   * Opens an account for the body of one request. `owner` is the company or the key that shares.
   * The caller releases it at the end of the request.
   */
  open(owner: string): BodyAccount;
}

export interface BodyAccount {
  /**
   * Takes further bytes, before they are allocated. Throws `Overloaded` for what is more than the
   * share of the owner.
   */
  take(bytes: number): void;
  /**
   * Notes that bytes of this body have arrived. Returns how long the next ones wait, milliseconds
   * (`BodyPace`).
   */
  arrived(bytes: number): number;
  /** Returns all bytes. A repeated call changes nothing. */
  release(): void;
}

/** Bodies of at most `bytes_max` together, of which each owner has a fair share. */
export function createBodies(bytes_max: number, pace: BodyPace): Bodies {
  const share = createFairShare(bytes_max);
  return {
    get held_bytes() {
      return share.taken;
    },
    open(owner) {
      const toWait = pace.open(owner);
      let held = 0;
      return {
        take(bytes) {
          if (!share.mayTake(owner, bytes)) throw new Overloaded();
          share.take(owner, bytes);
          held += bytes;
        },
        arrived: (bytes) => toWait(bytes) ?? 0,
        release() {
          share.release(owner, held);
          held = 0;
        },
      };
    },
  };
}
