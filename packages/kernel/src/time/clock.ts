import { RequestFields } from '../requests/request-fields.ts';
import { Temporal } from './temporal.ts';

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

export const untouched_clock: SandboxClockState = { offset_ms: 0, frozen_at_ms: null };

export interface SandboxClockStore {
  /**
   * Returns `untouched_clock` if nothing was written yet. `for_update` makes two moves wait for
   * each other.
   */
  read(options?: { readonly for_update?: boolean }): Promise<SandboxClockState>;
  write(state: SandboxClockState): Promise<void>;
}

/**
 * A request to move, freeze or release the sandbox's clock (decision: sandbox). At least one field;
 * not both `advance` and `set`. A null counts as absent.
 */
export interface ClockMove {
  /**
   * An ISO 8601 duration of weeks, days (24 hours) and times. Not negative. Years and months are
   * refused, because their length varies.
   */
  readonly advance?: string | null | undefined;
  /** An ISO 8601 instant, not before now. */
  readonly set?: string | null | undefined;
  /** True: the clock stands still from then on. False: it runs. Absent: as before. */
  readonly frozen?: boolean | null | undefined;
}

/**
 * The last instant to which the clock can be moved. A card issued then ends two years later, still
 * in a four-digit year.
 */
const end_ms = Date.UTC(9997, 11, 31, 23, 59, 59, 999);

export function sandboxNow(state: SandboxClockState, machine_ms: number): number {
  return state.frozen_at_ms ?? machine_ms + state.offset_ms;
}

/**
 * The clock after the move. Refuses (`validation_failed`) a move backwards, and invalid values. A
 * move that does not name `frozen` leaves a frozen clock frozen, and a running clock running.
 */
export function moveSandboxClock(state: SandboxClockState, machine_ms: number, move: ClockMove): SandboxClockState {
  const fields = new RequestFields(move);
  const frozen = fields.readFlag('frozen') ?? state.frozen_at_ms !== null;
  const to_ms = readTarget(fields, sandboxNow(state, machine_ms));
  return { offset_ms: to_ms - machine_ms, frozen_at_ms: frozen ? to_ms : null };
}

/** The instant that the move leads to, epoch milliseconds. Without `advance` and `set`: now. */
function readTarget(fields: RequestFields, now_ms: number): number {
  const path = fields.has('advance') ? 'advance' : 'set';
  if (fields.has('advance') && fields.has('set')) {
    fields.addProblem('advance', 'cannot be sent together with set');
  } else if (!fields.has('advance') && !fields.has('set') && !fields.has('frozen')) {
    fields.addProblem('advance', 'is required, or set, or frozen');
  }
  const set = fields.readParsed('set', Temporal.Instant.from, 'an ISO 8601 instant such as 2030-01-31T00:00:00Z');
  const advance = fields.readParsed(
    'advance',
    parseFixedDuration,
    'an ISO 8601 duration of weeks, days and times, such as P1W, P1DT2H or PT0.5S, without years and months',
  );
  fields.refuseInvalid();

  const to_ms = set?.epochMilliseconds ?? (advance === null ? now_ms : addTo(now_ms, advance));
  if (to_ms < now_ms) fields.addProblem(path, `would move the clock backwards: it is ${toIso(now_ms)}`);
  if (to_ms > end_ms) fields.addProblem(path, `would move the clock past ${toIso(end_ms)}`);
  fields.refuseInvalid();
  return to_ms;
}

/** A duration whose length does not depend on the calendar. Null: it names years or months. */
function parseFixedDuration(text: string): Temporal.Duration | null {
  return /^[^T]*[YM]/i.test(text) ? null : Temporal.Duration.from(text);
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

/** The source of "now". Domain code never reads machine time directly. */
export interface Clock {
  /**
   * The current instant, epoch milliseconds, an integer. It does not go backwards by more than the
   * skew between two machines.
   */
  nowMs(): number;
}

/** A frozen clock at an ISO instant or epoch milliseconds, for tests and for replaying a pass. */
export function fixedClock(instant: string | number): Clock {
  const at_ms = typeof instant === 'number' ? instant : Temporal.Instant.from(instant).epochMilliseconds;
  return { nowMs: () => at_ms };
}
