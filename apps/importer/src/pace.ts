import type { ImportProgress } from '@tallystick/imports';
import type { RebuildPhase } from '@tallystick/reconciliation';

/** The progress of an import, a rebuild, a table of decisions, or a set of samples that is loaded. */
export type Progress = Omit<ImportProgress, 'phase'> & {
  readonly phase: ImportProgress['phase'] | 'creating' | 'sending' | 'deciding' | RebuildPhase;
};

/** What a phase counts; absent where its end is measured by bytes. */
export const counted_nouns: Readonly<Partial<Record<Progress['phase'], string>>> = {
  checking: 'records',
  applying: 'records',
  creating: 'cards',
  sending: 'messages',
  entries: 'entries',
  authorization: 'authorizations',
  clearing: 'clearings',
  line: 'lines',
  items: 'items',
  cells: 'cells',
};

export interface PaceReading {
  /** Null until it is known. */
  readonly records_per_s: number | null;
  /** The time until the end of the phase, milliseconds; null when the end is unknown. */
  readonly left_ms: number | null;
}

/** The speed is that of the batches of the last ten seconds. */
const window_ms = 10_000;

/**
 * Records the progress of an import, and returns its speed. Each phase is measured separately, and
 * without the work of an earlier process.
 */
export type Pace = (progress: Progress) => PaceReading;

/** `monotonicNow` returns milliseconds since a fixed origin and never goes back. */
export function createPace(monotonicNow: () => number): Pace {
  let phase: Progress['phase'] | null = null;
  let notes: { readonly at_ms: number; readonly records: number; readonly done: number }[] = [];
  return (progress) => {
    if (progress.phase !== phase || progress.is_repeated === true) notes = [];
    phase = progress.phase;
    const at_ms = monotonicNow();
    const { done, total } = measureOf(progress);
    notes.push({ at_ms, records: progress.records, done });
    while (notes.length > 2 && notes[1]!.at_ms <= at_ms - window_ms) notes.shift();
    const first = notes[0]!;
    const took_ms = at_ms - first.at_ms;
    if (took_ms <= 0) return { records_per_s: null, left_ms: null };
    const done_per_ms = (done - first.done) / took_ms;
    return {
      records_per_s: ((progress.records - first.records) / took_ms) * 1000,
      left_ms: total === null || done_per_ms <= 0 ? null : Math.max(0, total - done) / done_per_ms,
    };
  };
}

/** What the end of a phase is measured by: records, cards or messages, else bytes. */
export function measureOf({ phase, bytes, bytes_total, records, records_total }: Progress): {
  readonly done: number;
  readonly total: number | null;
} {
  return counted_nouns[phase] !== undefined
    ? { done: records, total: records_total }
    : { done: bytes, total: bytes_total };
}
