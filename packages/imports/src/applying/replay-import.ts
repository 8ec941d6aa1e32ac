import {
  type AppliedRecord,
  appliedOtherRecord,
  appliedRecordOf,
  openSealed,
  type QuarantinedRecord,
} from '@tallystick/cards';
import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import type { BadRecord, ClearingFormat, FileClearing, OtherRecord } from '../formats/clearing-format.ts';
import type { Import, ImportCounts } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import { applyThoseThatWaited } from '../importing/import-file.ts';
import { type ImportOptions, ImportRun, ImportStopped } from '../importing/import-run.ts';
import { requireImport } from '../manage-imports.ts';
import type { ImportPorts } from '../ports.ts';
import { chooseHeld, heldOf, stageAgain } from '../statements/held-statements.ts';
import type { ImportStatement } from '../statements/import-statement.ts';
import { byIdentity, foldBatch, messagesOf, type ReadyRecord, readyRecords } from './fold-batch.ts';
import { HoldTime, PassSize } from './pass-size.ts';

/** What became of the records of a replay. */
interface Replayed {
  applied: number;
  duplicates: number;
  refused: number;
  /** Records that the format cannot read from their bytes alone. */
  unreadable: number;
}

export interface ReplayOptions extends Pick<ImportOptions, 'signal' | 'onProgress' | 'onWaitingEnded'> {
  /** The number of one held statement of the file: only that one is tried again. */
  readonly statement?: number | undefined;
}

/**
 * Tries all quarantined records of an import again, in the order of the file, and its held
 * statements. Writes the audit log. Refuses `not_found`, and `conflict` unless the import is
 * completed or has held statements, or when none of its records can be read again.
 *
 * The ledger commits first, and then the records are marked. After a crash between the two, another
 * replay finds the clearings recorded and marks the records as duplicates. When the signal is
 * aborted, it stops after the pass in progress and rejects with `ImportStopped`. `onProgress`
 * counts the records that were tried.
 */
export async function replayImport(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  { statement, ...options }: ReplayOptions = {},
): Promise<Import> {
  const record = await ports.unitOfWork.read(async ({ imports }) => requireImport(await imports.find(id), id));
  const held = chooseHeld(record.status === 'running' ? [] : await heldOf(ports, id), id, statement);
  if (held.length > 0) return await replayStatements(ports, call, id, held, options);
  if (record.status !== 'completed' && record.status !== 'completed_with_quarantine') {
    throw new Refusal('conflict', `import ${id} is ${record.status}; only a completed one can be replayed`);
  }
  const total: Replayed = { applied: 0, duplicates: 0, refused: 0, unreadable: 0 };
  try {
    await replayOpen(ports, call, record, total, options);
  } finally {
    // Also of a replay that was stopped or failed: what it applied stays.
    await ports.unitOfWork.run(async ({ audit }) => {
      const entry = auditEntry({ ...call, company_id: null }, 'import.replayed', `import:${id}`, { ...total });
      await audit.record(entry, call.now_ms);
    });
  }
  if (total.unreadable > 0 && total.applied + total.duplicates + total.refused === 0) {
    throw new Refusal('conflict', describeUnreadable(ports, record));
  }
  return await ports.unitOfWork.read(async ({ imports }) => requireImport(await imports.find(id), id));
}

/** Decides about held statements again. */
async function replayStatements(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  held: readonly ImportStatement[],
  options: Omit<ReplayOptions, 'statement'>,
): Promise<Import> {
  await ports.unitOfWork.run(async ({ audit }) => {
    const details = { statements: held.map(({ number }) => number).join(', ') };
    const entry = auditEntry({ ...call, company_id: null }, 'import.replayed', `import:${id}`, details);
    await audit.record(entry, call.now_ms);
  });
  const run = new ImportRun(ports, call, options);
  await stageAgain(run, id, held);
  await applyThoseThatWaited(run);
  return await ports.unitOfWork.read(async ({ imports }) => requireImport(await imports.find(id), id));
}

/** Why no record of the import can be read again, and what to do. */
function describeUnreadable({ formats }: ImportPorts, { id, format, profile }: ImportRecord): string {
  return profile === null || hasProfile(formats.find(format), profile)
    ? `the format ${format} cannot read the records of import ${id} from their bytes alone; import a corrected file`
    : `import ${id} was read with the profile ${profile}, which is not configured here`;
}

function hasProfile(format: ClearingFormat | null, profile: string): boolean {
  return format?.profiles?.includes(profile) ?? false;
}

/**
 * Replays the open records, as many in a pass as take a short time. Adds to `total` after each
 * pass.
 */
async function replayOpen(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  record: ImportRecord,
  total: Replayed,
  { signal, onProgress }: Pick<ImportOptions, 'signal' | 'onProgress'>,
): Promise<void> {
  const { unitOfWork, monotonicNow, rest } = ports;
  const { bytes, quarantined: records_total } = record;
  const size = new PassSize(ports.pass_kind);
  let records = 0;
  for (let after_ordinal = 0; ; ) {
    if (signal?.aborted) throw new ImportStopped();
    const open = await unitOfWork.read(({ quarantine }) =>
      quarantine.openOfImport(record.id, after_ordinal, size.records),
    );
    const last = open.at(-1);
    if (last === undefined) return;
    const began_ms = monotonicNow();
    const held_ms = await replayRecords(ports, call, record, open, total);
    size.note(open.length, held_ms);
    after_ordinal = last.ordinal!;
    records += open.length;
    onProgress?.({ phase: 'applying', bytes, bytes_total: bytes, records, records_total });
    await rest(monotonicNow() - began_ms);
  }
}

/** Replays some records in one pass. Returns for how long it held what others may wait for. */
async function replayRecords(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  record: ImportRecord,
  open: readonly QuarantinedRecord[],
  total: Replayed,
): Promise<number> {
  const read = open.map((row) => ({ row, again: readAgain(ports, record, row) }));
  const others = read.filter(({ again }) => again?.kind === 'other').map(({ row }) => row);
  const clearings = read.flatMap(({ again }) => (again === null || again.kind === 'other' ? [] : [again]));
  total.unreadable += read.filter(({ again }) => again === null).length;
  const ready = readyRecords(ports, record, clearings, call.request_id);
  const held = new HoldTime(ports);
  const { answers, counts } = await pass(ports, ready, open, held);
  const held_ms = held.ms;
  total.refused += counts.quarantined;
  const of_ordinal = new Map(open.map((row) => [row.ordinal, row.id]));
  const messages = messagesOf(ready);
  const applied: readonly AppliedRecord[] = [
    ...others.map(({ id }) => appliedOtherRecord(id)),
    ...answers.flatMap((answer, at) => {
      if (answer.kind === 'refused') return [];
      const id = of_ordinal.get(messages[at]!.place!.ordinal)!;
      return [appliedRecordOf(id, answer)];
    }),
  ];
  await ports.unitOfWork.run(({ quarantine }) => quarantine.applyOfImport(record.id, applied, call.now_ms));
  total.applied += counts.applied;
  total.duplicates += counts.duplicates;
  return held_ms;
}

/** The record as its format reads it now. Null: the format cannot read it from its bytes alone. */
function readAgain(
  { formats, sealer }: ImportPorts,
  { format, profile, file_id, created_on }: ImportRecord,
  { message_sealed, ordinal, position }: QuarantinedRecord,
): FileClearing | BadRecord | OtherRecord | null {
  const place = { ordinal: ordinal!, offset: position! };
  const sealed = openSealed(sealer, message_sealed);
  if (sealed.kind === 'clearing') return { ...place, kind: 'clearing', input: sealed.input, ...sealed.origin };
  const found = formats.find(format);
  if (profile !== null && !hasProfile(found, profile)) return null;
  const file = { ...place, file_id, created_on };
  return found?.readRecord?.(sealed.raw, file, { profile: profile ?? undefined }) ?? null;
}

/**
 * A pass over the records. One that is refused again adds to the quarantined record that it has.
 */
function pass(ports: ImportPorts, ready: readonly ReadyRecord[], open: readonly QuarantinedRecord[], held: HoldTime) {
  const identities = new Map(open.map((row) => [row.ordinal, row.identity_sha256]));
  const fold = held.during(foldBatch(ports, ready));
  return ports.ledger.pass(
    messagesOf(ready),
    (state) => {
      const { changes, result } = fold(state);
      const quarantined = changes.quarantined.map((refused) => ({
        ...refused,
        identity_sha256: identities.get(refused.ordinal) ?? refused.identity_sha256,
      }));
      return { changes: { ...changes, quarantined: quarantined.sort(byIdentity) }, result };
    },
    { is_of_file: true, onHolding: held.onHolding },
  );
}

export type ReplayedCounts = ImportCounts & Pick<Import, 'status'>;

/**
 * The counts and the status of an import after some of its quarantined records were applied, and
 * `open` of them are left. Those that were recorded before, and copies of all of them in the file,
 * count as duplicates.
 */
export function countsAfterReplay(
  { applied, duplicates, quarantined, matched, breaks, status }: ReplayedCounts,
  records: readonly AppliedRecord[],
  open: number,
): ReplayedCounts {
  const added = records.filter(({ is_duplicate }) => !is_duplicate).length;
  return {
    applied: applied + added,
    duplicates: duplicates + quarantined - open - added,
    quarantined: open,
    matched: matched + records.filter(({ is_matched }) => is_matched).length,
    breaks: breaks + records.filter(({ is_break }) => is_break).length,
    status: open === 0 && status === 'completed_with_quarantine' ? 'completed' : status,
  };
}
