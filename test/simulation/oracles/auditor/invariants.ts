import type { Invariant } from './invariant.ts';

/** Every invariant that the auditor checks, by theme. */
export const invariants: readonly Invariant[] = [];
