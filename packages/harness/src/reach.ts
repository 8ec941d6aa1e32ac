import type { MessageKind } from './arbitraries/authorizations.ts';
import type { CommandName } from './commands/command-sequence.ts';
import { commit_points, type FaultPoint, operation_kinds } from './faults.ts';
import { type Case, needsOf } from './reference/cases.ts';
import type { CapabilityName } from './system.ts';

/** What a sequence is made of: its commands, and the kinds of messages that they send. */
export type Means = CommandName | MessageKind;

/** What decides what a run can reach. */
export interface Reach {
  /** Whether the world has clearings of files without ids. */
  readonly files_without_ids: boolean;
  /** Whether cards have merchant controls. */
  readonly merchant_controls: boolean;
  readonly capabilities: ReadonlySet<CapabilityName>;
  /** The points at a commit that crashes of the system reported, also when they never struck there. */
  readonly commits: ReadonlySet<FaultPoint>;
  readonly means: ReadonlySet<Means>;
}

const races = ['race', 'lose answers', 'crash'] as const;
const increments = ['incremental', 'incremental_advice', 'increase after the end of the window'] as const;
const reversals = ['reverse', 'clear among several', ...races] as const;

/** The commands that use a capability. `quarantine` and `events` are read after any. */
const commands_with = {
  updateCard: ['update card', ...races],
  cancelCard: ['cancel card', ...races],
  clear: ['clear', 'clear before the authorization', 'clear among several', 'clear before the creation', ...races],
  releaseHold: ['release', 'clear among several', ...races],
  setFrozen: ['freeze card', ...races],
  rematch: ['match by hand'],
  setHoldDays: ['set hold days'],
  askCompany: ['ask the company'],
  resetCodeFailures: ['guess a code'],
  replay: ['repeat a refused clearing', 'clear before the creation'],
  advanceClock: [
    'move the clock',
    'increase after the end of the window',
    'clear among several',
    'hold to a special day',
  ],
  crash: ['crash'],
} as const satisfies Partial<Record<CapabilityName, readonly Means[]>>;

/** The cases that only these means reach. Any one of them suffices. */
const means_to = {
  'reason U': ['reverse before the original'],
  'another message: only message_type_indicator differs': ['almost repeat the message'],
  'another message: only transaction_date_time differs': ['almost repeat the message'],
  'another message: only trace_id differs': ['almost repeat the message'],
  'refused: an amount above the largest': ['oversized'],
  'rule 1: one of several equal clearings': ['undo a copy of the clearing'],
  'status reversed': [...reversals, 'reverse before the original'],
  'increment: approved in the present window': increments,
  'increment: approved in a past window': increments,
  'increment: above what a past window has left': increments,
  'increment: without an open authorization': increments,
  'increment: reported by an advice': increments,
  'increment: after the final clearing': [...increments, 'clear before the authorization'],
  'advice: of a decision elsewhere': ['advice'],
  'advice: of a decline': ['advice_of_decline'],
  'advice: raises an authorization': ['advice_of_ours'],
  'advice: lowers an authorization': ['advice_of_ours'],
  'advice: repeats an authorization': ['advice_of_ours'],
  'advice: of an authorization that is closed': ['advice_of_ours'],
  'advice: of a decline of a known authorization': ['advice_of_decline'],
  'reversal: in full': reversals,
  'reversal: in part': ['reverse', ...races],
  'reversal: of an expired authorization': ['reverse', ...races],
  'reversal: of a released authorization': ['reverse', ...races],
  'reversal: only the amount of another currency': ['reverse', ...races],
  'early reversal: in full': ['reverse before the original'],
  'early reversal: in part': ['reverse before the original'],
  'early reversal: the smallest of several in part': ['reverse before the original'],
  'early reversal: in full among others in part': ['reverse before the original'],
  'early reversal: left by the advice of a decline': ['reverse before the original'],
  'early reversal: used before': ['reverse before the original'],
  'codes: the tenth wrong one': ['guess a code'],
  'codes: the right code of a locked card': ['guess a code'],
} as const satisfies Partial<Record<Case, readonly Means[]>>;

const of_merchant_controls = /^(reason [HLN]$|merchant controls)/;

/** Whether some sequence of the run can reach the case. */
export function isReachable(reached: Case, reach: Reach): boolean {
  if (reached === 'rule 0: the other id of a pair' && !reach.files_without_ids) return false;
  if (of_merchant_controls.test(reached) && !reach.merchant_controls) return false;
  return (
    needsOf(reached).every((name) => isUsed(name, reach)) &&
    isAny((means_to as Partial<Record<Case, readonly Means[]>>)[reached], reach.means)
  );
}

const capability_of = {
  authorize: null,
  clear: 'clear',
  'update card': 'updateCard',
  'cancel card': 'cancelCard',
  release: 'releaseHold',
  freeze: 'setFrozen',
} as const satisfies Record<(typeof operation_kinds)[number], CapabilityName | null>;

/**
 * Whether a fault can strike at the point: its command runs, and the system has the call, or reports
 * the commits.
 */
export function isStruck(point: FaultPoint, { capabilities, commits, means }: Reach): boolean {
  const command = point.startsWith('crash') ? 'crash' : 'lose answers';
  const call = operation_kinds.find((kind) => point === `lost answer: ${kind}` || point === `crash: ${kind} in flight`);
  const needed = call === undefined ? null : capability_of[call];
  return (
    means.has(command) &&
    (command !== 'crash' || capabilities.has('crash')) &&
    (!commit_points.some((known) => known === point) || commits.has(point)) &&
    (needed === null || capabilities.has(needed))
  );
}

function isUsed(name: CapabilityName, { capabilities, means }: Reach): boolean {
  return (
    capabilities.has(name) && isAny((commands_with as Partial<Record<CapabilityName, readonly Means[]>>)[name], means)
  );
}

/** Whether one of the named is there; true if none is named. */
function isAny(named: readonly Means[] | undefined, means: ReadonlySet<Means>): boolean {
  return named === undefined || named.some((name) => means.has(name));
}
