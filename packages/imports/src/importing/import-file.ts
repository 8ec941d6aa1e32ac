/**
 * The import of one file.
 *
 *   staging ──the trailer agrees──────────────> applying ──no batch is left──> completed
 *   staging ──it does not, or the file ends───> refused, truncated       └───> completed_with_quarantine
 *   staging ──a test file, a known file id────> held ──released──> applying
 *
 * A file of bank statements is queued, checked and recorded in place of applying:
 * `statements/decide-statements.ts`.
 *
 * Each of its statements is applied or held by itself.
 *
 *   refused, truncated, held ──the same bytes come again──> staging
 *
 * In both phases the status is `running`. One process at a time has the claim of a running import.
 * Each batch commits with its checkpoint, so after a crash the next process continues:
 *
 *   staging, a file ──────> the file is read again, and records up to the checkpoint are skipped;
 *                           with other settings of its profile all of it is staged again;
 *                           truncated when it does not come within a day
 *   staging, a stream ────> the import is removed: its bytes are gone
 *   later phases ─────────> the remaining batches are applied, the file is not needed any more
 *
 * An import is identified by the SHA-256 of its bytes. That of a stream is known at its end, so two
 * imports of one stream may be staged at once. Of these the first is applied.
 */
import { LeaseLost } from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import { chooseFormat, findFormat, unknown_format, unrecognised } from '../formats/choose-format.ts';
import type { ClearingFormat } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import { findReadWith, hasOtherSettings, isReadAlike } from '../formats/read-with.ts';
import { type Import, type ReadWith, staged_phases } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportPorts, ImportTx } from '../ports.ts';
import { decideFile } from '../staging/decide-file.ts';
import { type ImportSource, SourceReading } from '../staging/import-source.ts';
import { type StagedFile, stageFile } from '../staging/stage-file.ts';
import { applyWaiting } from '../statements/apply-waiting.ts';
import { removeDeadStreams } from './continue-imports.ts';
import { finishImport } from './finish-import.ts';
import { isAtWork, isClaimed } from './import-lease.ts';
import { type ImportOptions, ImportRun, newImport, type ResumedSettings } from './import-run.ts';

/**
 * - `imported`: this call ended the import, in whatever status
 * - `known`: the same bytes were completed before, or another process has ended their import, in
 *   whatever status, while this one was suspended
 * - `in_progress`: another process is importing the same bytes
 */
export interface ImportOutcome {
  readonly kind: 'imported' | 'known' | 'in_progress';
  readonly import: Import;
  /** Of known bytes: whether this call would read them by other settings. */
  readonly settings?: ResumedSettings;
}

/** What a decision about an import makes of this call: its answer, or batches to apply. */
interface Decided {
  readonly kind: ImportOutcome['kind'] | 'apply';
  readonly import: ImportRecord;
  readonly settings?: ResumedSettings;
}

/** What a decision about the bytes of a file makes of this call. */
type Next =
  | Decided
  | {
      readonly kind: 'stage';
      readonly import: ImportRecord;
      /** As an earlier process left it, if that had staged records. */
      readonly found: ImportRecord | null;
      readonly settings: ResumedSettings;
    };

/**
 * Imports a file: reads, checks and stages all of it, and then applies its records. Refuses
 * `validation_failed` for a format that does not exist. Rejects with `ImportStopped` when the
 * signal is aborted, and with what the source rejects with: a stream that breaks leaves nothing. A
 * file continues where it stopped when it is imported again.
 */
export async function importFile(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportOutcome> {
  const named = options.format === undefined ? null : findFormat(ports, options.format);
  await removeDeadStreams(ports);
  const run = new ImportRun(ports, call, options);
  try {
    return await (source.is_repeatable ? importKnownBytes(run, source, named) : importStream(run, source, named));
  } finally {
    await run.claim.release();
  }
}

/** Imports a file whose bytes can be read twice: first to identify them. */
async function importKnownBytes(
  run: ImportRun,
  source: ImportSource,
  named: ClearingFormat | null,
): Promise<ImportOutcome> {
  const { ports, claim } = run;
  const { format, read_with, sha256 } = await identify(run, source, named);
  const file = { name: source.name, format: format?.name ?? unknown_format, read_with, sha256, is_repeatable: true };
  const next = await untilCertain(run, async ({ imports }): Promise<Next> => {
    await imports.lockDecisions();
    const known = await lockKnown(imports, sha256);
    const begun = newImport(run, file);
    if (known === null) {
      return { kind: 'stage', import: await imports.insert(begun), found: null, settings: 'same' };
    }
    const outcome = await takeOver(run, imports, known, read_with);
    if (outcome !== null) return outcome;
    const is_interrupted = known.status === 'running' && known.is_repeatable;
    const is_alike = isReadAlike(known, begun);
    const is_resumed = is_interrupted && is_alike;
    // Records that were read in two ways would be applied as one file.
    if (!is_resumed) await imports.removeStaged(known.id);
    const record = { ...(is_resumed ? known : begun), id: known.id, lease: claim.renewed() };
    await imports.update(record);
    const found = is_interrupted && known.staged_ordinal > 0 ? known : null;
    return { kind: 'stage', import: record, found, settings: is_alike ? 'same' : 'other' };
  });
  const found = next.kind === 'stage' ? next.found : next.kind === 'apply' ? next.import : null;
  if (found !== null) run.options.onResumed?.(found, next.settings ?? 'same');
  if (next.kind !== 'stage') return await proceed(run, next);
  claim.keep(next.import.id);
  const reading = new SourceReading(source, ports);
  try {
    return await stageAndApply(run, source, format, reading, next.import);
  } finally {
    await reading.close();
  }
}

/** The import of these bytes, locked. */
async function lockKnown(imports: ImportTx['imports'], sha256: string): Promise<ImportRecord | null> {
  const known = await imports.findBySha256(sha256);
  return known === null ? null : await imports.lock(known.id);
}

/**
 * Decides in a transaction. When the answer is that another process is at work, waits until that is
 * certain, and decides again if none is: the process of the claim may have died.
 */
async function untilCertain<Decision extends Next>(
  { ports }: ImportRun,
  decide: (tx: ImportTx) => Promise<Decision>,
): Promise<Decision> {
  for (;;) {
    const next = await ports.unitOfWork.run(decide);
    if (next.kind !== 'in_progress' || (await isAtWork(ports, next.import))) return next;
  }
}

/** Reads the whole file once: its hash, and the format and the profile that it begins like. */
async function identify(
  run: ImportRun,
  source: ImportSource,
  named: ClearingFormat | null,
): Promise<{
  readonly format: ClearingFormat | null;
  readonly read_with: ReadWith | null;
  readonly sha256: string;
}> {
  const { ports, options } = run;
  const reading = new SourceReading(source, ports);
  try {
    const head = await reading.head();
    const format = chooseFormat(ports, options, named, head, source.name);
    const read_with = findReadWith(ports, format, head, options);
    let bytes = 0;
    for await (const chunk of reading.chunks()) {
      bytes += chunk.length;
      const { bytes_total } = source;
      run.report({ phase: 'reading', bytes, bytes_total, records: 0, records_total: null });
    }
    return { format, read_with, sha256: await reading.digest() };
  } finally {
    await reading.close();
  }
}

/** Imports bytes that can be read once. They are identified when they are staged. */
async function importStream(
  run: ImportRun,
  source: ImportSource,
  named: ClearingFormat | null,
): Promise<ImportOutcome> {
  const { ports, claim } = run;
  const reading = new SourceReading(source, ports);
  let begun: ImportRecord | null = null;
  try {
    const head = await reading.head();
    const format = chooseFormat(ports, run.options, named, head, source.name);
    const file = {
      name: source.name,
      format: format?.name ?? unknown_format,
      read_with: findReadWith(ports, format, head, run.options),
      sha256: null,
      is_repeatable: false,
    };
    begun = await ports.unitOfWork.run(({ imports }) => imports.insert(newImport(run, file)));
    claim.keep(begun.id);
    return await stageAndApply(run, source, format, reading, begun);
  } catch (error) {
    // Without the hash of its bytes no process can continue it.
    if (begun !== null) await removeStream(ports, begun.id).catch(() => {});
    throw error;
  } finally {
    await reading.close();
  }
}

async function removeStream({ unitOfWork }: ImportPorts, id: number): Promise<void> {
  await unitOfWork.run(async ({ imports }) => {
    const record = await imports.lock(id);
    if (record !== null && record.sha256 === null) await imports.remove(id);
  });
}

async function stageAndApply(
  run: ImportRun,
  source: ImportSource,
  format: ClearingFormat | null,
  reading: SourceReading,
  begun: ImportRecord,
): Promise<ImportOutcome> {
  try {
    const staged = format === null ? null : await stageFile(run, format, reading, begun, source.bytes_total);
    const sha256 = await reading.digest();
    const { bytes_read: bytes } = reading;
    const record = { ...(staged?.record ?? begun), bytes };
    const ending = staged?.ending ?? unrecognised(run.ports, bytes);
    const warnings = staged?.warnings ?? [];
    const next = await untilCertain(run, (tx) => endStaging(run, tx, { record, ending, warnings }, sha256));
    if (next.import.id !== begun.id) await removeStream(run.ports, begun.id);
    return await proceed(run, next);
  } catch (error) {
    if (error instanceof LeaseLost) return await afterLeaseLost(run, begun.id, error);
    throw error;
  }
}

/** Identifies the staged bytes, and decides what becomes of them. */
async function endStaging(run: ImportRun, { imports }: ImportTx, staged: StagedFile, sha256: string): Promise<Decided> {
  const { ports, claim } = run;
  await imports.lockDecisions();
  const own = await claim.lock(imports, staged.record.id);
  const { warnings } = staged;
  let { record, ending } = staged;
  if (own.sha256 === null) {
    const known = await lockKnown(imports, sha256);
    if (known !== null) {
      const outcome = await takeOver(run, imports, known, record.read_with);
      if (outcome !== null) return outcome;
      // The bytes are checked again under their id.
      await imports.removeStaged(known.id);
      await imports.moveStaged(own.id, known.id);
      await imports.remove(own.id);
      record = { ...record, id: known.id };
    }
  } else if (own.sha256 !== sha256) {
    const message = 'the file was changed while it was read; import it again';
    ending = new FileProblem('refused', 'file_changed', message, null);
  }
  const decision = await decideFile(imports, { record, ending, warnings }, ports);
  const is_over = decision.status !== 'running';
  if (decision.status === 'refused' || decision.status === 'truncated') await imports.removeStaged(record.id);
  const decided: ImportRecord = {
    ...record,
    ...decision,
    sha256: own.sha256 ?? sha256,
    finished_at_ms: is_over ? run.endedAt() : null,
    lease: is_over ? null : claim.renewed(),
  };
  await imports.update(decided);
  return is_over ? { kind: 'imported', import: decided } : { kind: 'apply', import: decided };
}

/**
 * The answer about bytes that are known, or the claim of an import that can be applied. Null when
 * the bytes have to be staged again. Within a transaction that has locked the import.
 */
async function takeOver(
  { ports, claim }: ImportRun,
  imports: ImportTx['imports'],
  known: ImportRecord,
  read_with: ReadWith | null,
): Promise<Decided | null> {
  const settings = hasOtherSettings(known, { read_with }) ? 'other' : 'same';
  if (known.status === 'completed' || known.status === 'completed_with_quarantine') {
    return { kind: 'known', import: known, settings };
  }
  if (known.status !== 'running') return null;
  if (isClaimed(known, ports)) return { kind: 'in_progress', import: known };
  if (known.phase === null || !staged_phases.includes(known.phase)) return null;
  const record = { ...known, lease: claim.renewed() };
  await imports.update(record);
  return { kind: 'apply', import: record, settings };
}

/** Applies what is to be applied, and returns the outcome. */
export async function proceed(run: ImportRun, decided: Decided): Promise<ImportOutcome> {
  const { kind, import: record } = decided;
  if (kind !== 'apply') return { ...decided, kind };
  const { id } = record;
  run.claim.keep(id);
  try {
    const ended = await finishImport(run, record);
    if (ended.statements === 0 || ended.status === 'held') return { kind: 'imported', import: ended };
    await applyThoseThatWaited(run);
    // Its own statements may have waited for each other.
    const found =
      ended.status === 'completed' ? ended : await run.ports.unitOfWork.read(({ imports }) => imports.find(id));
    return { kind: 'imported', import: found ?? ended };
  } catch (error) {
    if (error instanceof LeaseLost) return await afterLeaseLost(run, id, error);
    throw error;
  }
}

/** Applies the held statements that waited for those of an import, which has ended already. */
export async function applyThoseThatWaited({ ports, call, options }: ImportRun): Promise<void> {
  try {
    await applyWaiting(ports, call, options);
  } catch {
    // `continueImports`, and every later file of statements, tries them again.
  }
}

/** The outcome when another process has continued the import. */
async function afterLeaseLost({ ports }: ImportRun, id: number, error: LeaseLost): Promise<ImportOutcome> {
  const found = await ports.unitOfWork.read(({ imports }) => imports.find(id));
  if (found === null) throw error;
  return { kind: found.status === 'running' ? 'in_progress' : 'known', import: found };
}
