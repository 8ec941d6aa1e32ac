import { type Call, Fault, maskCardNumbers, toStorableText } from '@tallystick/kernel';
import type { Import } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportPorts } from '../ports.ts';
import { ImportClaim } from './import-lease.ts';

export interface ImportProgress {
  readonly phase: 'reading' | 'staging' | 'checking' | 'applying';
  readonly bytes: number;
  readonly bytes_total: number | null;
  readonly records: number;
  readonly records_total: number | null;
  /** Only reads again what an earlier process has staged. */
  readonly is_repeated?: boolean;
}

/**
 * Whether this process reads the file as the earlier one did: in the same format, by the same
 * profile with the same settings. With other settings an import that was being staged is staged
 * again from its beginning, and one that was being applied is applied as it was read.
 */
export type ResumedSettings = 'same' | 'other';

export interface ImportOptions {
  /** The name of a format; detected from the first bytes when absent. */
  readonly format?: string | undefined;
  readonly profile?: string | undefined;
  /** Called after each staged batch and each pass. Must return at once and must not throw. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Called when the import of an earlier process is continued: as it is, before anything is done.
   * Must return at once and must not throw.
   */
  readonly onResumed?: ((found: Import, settings: ResumedSettings) => void) | undefined;
  /**
   * Called when the file is checked and its records begin to be applied. From then on the import
   * ends even if this process dies: `continueImports`. Must return at once and must not throw.
   */
  readonly onStaged?: ((staged: Import) => void) | undefined;
  /**
   * Called with each import of which held statements were applied, because they waited for those of
   * this one. Must return at once and must not throw.
   */
  readonly onWaitingEnded?: ((ended: Import) => void) | undefined;
  /** Aborted: the import stops after the batch or the pass in progress, with `ImportStopped`. */
  readonly signal?: AbortSignal | undefined;
}

/** The signal of the options was aborted. */
export class ImportStopped extends Fault {
  constructor() {
    super('the import was stopped; the same request continues it', { retryable: true });
  }
}

/** One process at work on one import. */
export class ImportRun {
  readonly ports: ImportPorts;
  readonly call: Omit<Call, 'company_id'>;
  readonly options: ImportOptions;
  readonly claim: ImportClaim;
  #busy_since_ms: number;

  constructor(ports: ImportPorts, call: Omit<Call, 'company_id'>, options: ImportOptions) {
    this.ports = ports;
    this.call = call;
    this.options = options;
    this.claim = new ImportClaim(ports);
    this.#busy_since_ms = ports.monotonicNow();
  }

  /** Reports the progress. Throws `ImportStopped` if the signal is aborted. */
  report(progress: ImportProgress): void {
    const { onProgress, signal } = this.options;
    onProgress?.(progress);
    if (signal?.aborted) throw new ImportStopped();
  }

  /** Ends a staged batch or a pass: reports it, and lets others use the database. */
  async afterWrite(progress: ImportProgress): Promise<void> {
    const { ports } = this;
    this.report(progress);
    await ports.rest(ports.monotonicNow() - this.#busy_since_ms);
    this.#busy_since_ms = ports.monotonicNow();
  }

  /** The time of an end that is not before the call. */
  endedAt(): number {
    return Math.max(this.call.now_ms, this.ports.clock.nowMs());
  }

  /** Tries again while the database fails for a time. The attempts count from 1. */
  async retry<Result>(work: (attempt: number) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(attempt);
      } catch (error) {
        const may_succeed = error instanceof Fault && error.retryable;
        if (!may_succeed || attempt === attempts_max) throw error;
        await this.ports.pause(50 * 2 ** attempt);
      }
    }
  }
}

/** How often a pass or a batch is tried when the database fails for a while. */
const attempts_max = 6;

/** The longest name that is kept, in UTF-16 units. */
const name_length_max = 255;

/** How far an import is before anything is read. */
export const nothing_done = {
  status: 'running',
  phase: 'staging',
  bytes: 0,
  records: 0,
  staged_ordinal: 0,
  staged_batches: 0,
  applied_of_batch: 0,
  applied: 0,
  duplicates: 0,
  quarantined: 0,
  held: 0,
  matched: 0,
  breaks: 0,
  statements: 0,
  other_records: {},
  control_totals: {},
  warnings: [],
  problem: null,
  held_statements: [],
  finished_at_ms: null,
  note: null,
} as const satisfies Partial<ImportRecord>;

export function newImport(
  { call, options, claim }: ImportRun,
  file: Pick<ImportRecord, 'name' | 'format' | 'read_with' | 'sha256' | 'is_repeatable'>,
): Omit<ImportRecord, 'id'> {
  return {
    ...file,
    // A name of a file may contain anything, and the cut may divide a character.
    name: toStorableText(maskCardNumbers(file.name).slice(0, name_length_max)),
    profile: options.profile ?? null,
    file_id: null,
    series: null,
    sequence: null,
    created_on: null,
    mode: null,
    ...nothing_done,
    started_at_ms: call.now_ms,
    lease: claim.renewed(),
  };
}
