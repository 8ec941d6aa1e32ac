import { invalid, Refusal } from '../errors/refusal.ts';

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

/** The request of `POST /sandbox/v1/clock`: exactly one of `advance` and `set`. */
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
  if ((move.advance === undefined) === (move.set === undefined)) {
    const fields = [{ path: 'advance', message: 'or set must be given, and not both' }];
    throw new Refusal('validation_failed', 'exactly one of advance and set must be given', fields);
  }
  const now_ms = sandboxNow(state, machine_ms);
  const path = move.advance === undefined ? 'set' : 'advance';
  const to_ms = move.advance === undefined ? instantOf(move.set as string) : advanced(now_ms, move.advance);
  if (to_ms < now_ms) throw invalid({ path, message: `would move the clock backwards: it is ${iso(now_ms)}` });
  if (to_ms > end_ms) throw invalid({ path, message: `would move the clock past ${iso(end_ms)}` });
  return move.frozen === true
    ? { offset_ms: to_ms - machine_ms, frozen_at_ms: to_ms }
    : { offset_ms: to_ms - machine_ms, frozen_at_ms: null };
}

function advanced(now_ms: number, text: string): number {
  const duration = parsed('advance', 'an ISO 8601 duration such as PT10M or P1D', text, Temporal.Duration.from);
  const start = Temporal.Instant.fromEpochMilliseconds(now_ms).toZonedDateTimeISO('UTC');
  try {
    return start.add(duration).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError)
      throw invalid({ path: 'advance', message: `would move the clock past ${iso(end_ms)}` });
    throw error;
  }
}

function instantOf(text: string): number {
  const what = 'an ISO 8601 instant such as 2030-01-31T00:00:00Z';
  return parsed('set', what, text, Temporal.Instant.from).epochMilliseconds;
}

function parsed<Value>(path: string, what: string, text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text);
  } catch {
    throw invalid({ path, message: `is ${JSON.stringify(text)}; it must be ${what}` });
  }
}

function iso(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString();
}
