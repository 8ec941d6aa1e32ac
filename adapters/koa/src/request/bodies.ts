import { type BodyPace, unpaced_bytes } from './body-pace.ts';

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

/** The request is refused because of load. */
export class NoRoomForBody extends Error {
  override readonly name = 'NoRoomForBody';
}

/** The bytes of one body. */
export interface BodyAccount {
  /**
   * Takes further bytes, before they are allocated. Throws `NoRoomForBody` for what is more than
   * the share of the owner.
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

/**
 * Bodies of at most `bytes_max` together. One owner may hold as much as is still free, so one alone
 * holds a half, two hold a third each, and something is always left for another.
 */
export function createBodies(bytes_max: number, pace: BodyPace): Bodies {
  const held_by = new Map<string, number>();
  let held_bytes = 0;
  return {
    get held_bytes() {
      return held_bytes;
    },
    open(owner) {
      let taken = 0;
      let arrived = 0;
      return {
        take(bytes) {
          const of_owner = (held_by.get(owner) ?? 0) + bytes;
          if (of_owner > bytes_max - held_bytes - bytes) throw new NoRoomForBody();
          held_by.set(owner, of_owner);
          held_bytes += bytes;
          taken += bytes;
        },
        arrived(bytes) {
          arrived += bytes;
          return arrived <= unpaced_bytes ? 0 : pace.note(owner, bytes);
        },
        release() {
          if (taken === 0) return;
          const left = (held_by.get(owner) ?? 0) - taken;
          if (left === 0) held_by.delete(owner);
          else held_by.set(owner, left);
          held_bytes -= taken;
          taken = 0;
        },
      };
    },
  };
}
