import type { World } from '../world.ts';

/** Something that a client, the network or an operator does, from its beginning to its end. */
export interface Activity {
  readonly name: string;
  /** How often it begins, compared with the others. */
  readonly weight: number;
  /** Absent: at any time. */
  isPossible?(world: World): boolean;
  run(world: World): Promise<void>;
}
