/**
 * Faults that the harness injects, and the points of a run at which they can strike.
 *
 * `lost_answer`: the answer to a call is thrown away, and the call is made again, as a network does.
 * `crash`: the service is killed while calls are in flight, and what was not answered is sent again.
 */
export const fault_names = ['crash', 'lost_answer'] as const;

export type FaultName = (typeof fault_names)[number];

/** The calls that a fault may strike. */
export const operation_kinds = ['authorize', 'clear', 'update card', 'cancel card', 'release', 'freeze'] as const;

export type OperationKind = (typeof operation_kinds)[number];

/** Counted for a system whose `crash` reports them. */
export const commit_points = ['crash: before a commit', 'crash: after a commit'] as const;

export const fault_points = [
  ...operation_kinds.map((kind) => `lost answer: ${kind}` as const),
  'lost answer: sent again in flight',
  ...operation_kinds.map((kind) => `crash: ${kind} in flight` as const),
  'crash: nothing in flight',
  ...commit_points,
] as const;

export type FaultPoint = (typeof fault_points)[number];
