import { RequestFields } from '../requests/request-fields.ts';

/**
 * The sandbox's clock: real time plus an offset, or frozen. It is stored in the database, so that
 * all processes use the same. It never goes backwards.
 */
export interface SandboxClockState {
  /** Added to machine time while the clock runs; 0 or more in practice. */
  readonly offset_ms: number;
  /** The instant at which the clock is frozen, epoch milliseconds; null while it runs. */
  readonly frozen_at_ms: number | null;
}

/** A clock that was never moved: machine time. */
export const untouched_clock: SandboxClockState = { offset_ms: 0, frozen_at_ms: null };

/** Stores the one clock of the sandbox, within a transaction. */
export interface SandboxClockStore {
  /**
   * Returns `untouched_clock` if nothing was written yet. `for_update` makes two moves wait for
   * each other.
   */
  read(options?: { readonly for_update?: boolean }): Promise<SandboxClockState>;
  write(state: SandboxClockState): Promise<void>;
}

/** A request to move the sandbox's clock: exactly one of `advance` and `set`. */
export interface ClockMove {
  /**
   * An ISO 8601 duration. Days have 24 hours; months and years are those of the UTC calendar. Not
   * negative.
   */
  readonly advance?: string | undefined;
  /** An ISO 8601 instant, not before now. */
  readonly set?: string | undefined;
  /** True: the clock is frozen from then on. Otherwise it runs. */
  readonly frozen?: boolean | undefined;
}

/**
 * The last instant to which the clock can be moved. A card issued then ends two years later, still
 * in a four-digit year.
 */
const end_ms = Date.UTC(9997, 11, 31, 23, 59, 59, 999);

/** The time of the clock when machine time is `machine_ms`. */
export function sandboxNow(state: SandboxClockState, machine_ms: number): number {
  return state.frozen_at_ms ?? machine_ms + state.offset_ms;
}

/** The clock after the move. Refuses (`validation_failed`) a move backwards, and invalid values. */
export function moveSandboxClock(state: SandboxClockState, machine_ms: number, move: ClockMove): SandboxClockState {
  const now_ms = sandboxNow(state, machine_ms);
  const to_ms = readTarget(now_ms, move);
  return move.frozen === true
    ? { offset_ms: to_ms - machine_ms, frozen_at_ms: to_ms }
    : { offset_ms: to_ms - machine_ms, frozen_at_ms: null };
}

/** The instant that the move leads to, epoch milliseconds. */
function readTarget(now_ms: number, move: ClockMove): number {
  const fields = new RequestFields(move);
  const path = fields.has('advance') ? 'advance' : 'set';
  if (fields.has('advance') === fields.has('set')) {
    fields.addProblem('advance', 'or set must be given, and not both');
    fields.refuseInvalid();
  }
  const set = fields.readParsed('set', Temporal.Instant.from, 'an ISO 8601 instant such as 2030-01-31T00:00:00Z');
  const advance = fields.readParsed('advance', Temporal.Duration.from, 'an ISO 8601 duration such as PT10M or P1D');
  fields.refuseInvalid();

  const to_ms = set?.epochMilliseconds ?? addTo(now_ms, advance!);
  if (to_ms < now_ms) fields.addProblem(path, `would move the clock backwards: it is ${toIso(now_ms)}`);
  if (to_ms > end_ms) fields.addProblem(path, `would move the clock past ${toIso(end_ms)}`);
  fields.refuseInvalid();
  return to_ms;
}

/** Infinity when the sum is past what an instant can be. */
function addTo(now_ms: number, duration: Temporal.Duration): number {
  try {
    return Temporal.Instant.fromEpochMilliseconds(now_ms).toZonedDateTimeISO('UTC').add(duration).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function toIso(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString();
}
