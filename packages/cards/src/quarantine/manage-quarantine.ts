import {
  type AuditLog,
  auditEntry,
  type Call,
  type Page,
  type PageRequest,
  Refusal,
  reseal,
  resealAll,
  type Sealer,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { ClearingAnswer } from '../deciding/answer.ts';
import type { Network } from '../network/network.ts';
import type { CardVault } from '../numbers/card-vault.ts';
import type { ClearingMessage, RecordOfFile } from '../records/clearing.ts';
import { isBreak, isMatched } from '../records/clearing-item.ts';
import { normalizeClearing } from '../records/message.ts';
import type { AppliedRecord, QuarantinedRecord, QuarantineFilter, QuarantineStore } from './quarantined-record.ts';
import { openSealed, quarantine_purpose } from './sealed-clearing.ts';

export interface QuarantineTx {
  readonly quarantine: QuarantineStore;
  readonly audit: AuditLog;
}

type ReadTx = Pick<QuarantineTx, 'quarantine'>;

/** The records that match the filter, newest first; for operators. */
export function listQuarantine(
  tx: ReadTx,
  filter: QuarantineFilter,
  page: PageRequest,
): Promise<Page<QuarantinedRecord>> {
  return tx.quarantine.list(filter, page);
}

/** One record. Refuses `not_found`. */
export async function readQuarantined(tx: ReadTx, id: number): Promise<QuarantinedRecord> {
  const record = await tx.quarantine.find(id);
  if (record === null) throw new Refusal('not_found', `there is no quarantined record ${id}`);
  return record;
}

export interface ReplayPorts {
  readonly unitOfWork: UnitOfWork<QuarantineTx>;
  readonly network: Pick<Network, 'clear'>;
  readonly vault: Pick<CardVault, 'index'>;
  readonly sealer: Sealer;
}

/**
 * Sends the message of a record to the ledger again, and writes the audit log. Refuses `not_found`,
 * and `conflict` when the record is applied already or its message is refused again; the pass that
 * refused it has then written the new reason.
 *
 * The ledger commits first, and then the record is marked. After a crash between the two, another
 * replay finds the clearing recorded and marks the record.
 */
export async function replayQuarantined(
  { unitOfWork, network, vault, sealer }: ReplayPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
): Promise<QuarantinedRecord> {
  const record = await unitOfWork.read((tx) => readQuarantined(tx, id));
  if (record.status === 'applied') throw applied(record);
  const message = messageOf({ sealer, vault }, record, call.request_id);
  const answer = await network.clear(message);
  const { outcome, company_id, details } =
    answer.kind === 'refused'
      ? { outcome: 'refused', company_id: null, details: { explanation: answer.refusal.message } }
      : { outcome: 'applied', company_id: answer.item.company_id, details: { clearing_id: answer.item.id } };
  const replayed = await unitOfWork.run(async (tx) => {
    const is_first = answer.kind === 'refused' || (await tx.quarantine.apply(appliedRecordOf(id, answer), call.now_ms));
    if (!is_first) throw applied(await readQuarantined(tx, id));
    const entry = auditEntry({ ...call, company_id }, `quarantine.replay_${outcome}`, `quarantine:${id}`, details);
    await tx.audit.record(entry, call.now_ms);
    return await readQuarantined(tx, id);
  });
  if (answer.kind === 'refused') {
    throw new Refusal('conflict', `the message is refused again: ${answer.refusal.message}`);
  }
  return replayed;
}

/**
 * The message of a record. Refuses `conflict` when its fields are not valid, or when it is a record
 * of a file that could not be read: only its import can read it again.
 */
export function messageOf(
  { sealer, vault }: Pick<ReplayPorts, 'sealer' | 'vault'>,
  record: QuarantinedRecord,
  request_id: string | null,
): ClearingMessage {
  const sealed = openSealed(sealer, record.message_sealed);
  if (sealed.kind === 'record') {
    throw new Refusal('conflict', `record ${record.id} could not be read; replay its import, ${record.import_id}`);
  }
  try {
    return normalizeClearing(sealed.input, vault, request_id, { ...sealed.origin, place: placeOf(record) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal('conflict', `the message is refused again: ${error.message}`);
  }
}

/** The record of the file that it came in, or null. */
function placeOf({ import_id, ordinal, position }: QuarantinedRecord): RecordOfFile | null {
  return import_id === null || ordinal === null || position === null ? null : { import_id, ordinal, position };
}

function applied({ id, clearing_id }: QuarantinedRecord): Refusal {
  const became = clearing_id === null ? 'it is no clearing' : `clearing ${clearing_id}`;
  return new Refusal('conflict', `quarantined record ${id} is applied: ${became}`);
}

/**
 * Re-encrypts with the newest key of the ring every quarantined message that an older key sealed,
 * in transactions of at most `batch` records. Returns how many.
 */
export function resealQuarantine(unitOfWork: UnitOfWork<ReadTx>, sealer: Sealer, batch = 100): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ quarantine }, { id }) => quarantine.listAfter(id, batch),
    async reseal({ quarantine }, { id, message_sealed }) {
      const resealed = reseal(sealer, quarantine_purpose, message_sealed);
      if (resealed === null) return 0;
      await quarantine.reseal(id, resealed);
      return 1;
    },
  });
}

/** The quarantined record with this id, applied as the clearing that the ledger answered. */
export function appliedRecordOf(
  id: number,
  { item, duplicate: is_duplicate }: Extract<ClearingAnswer, { readonly kind: 'answered' }>,
): AppliedRecord {
  return {
    id,
    clearing_id: item.id,
    is_duplicate,
    is_matched: !is_duplicate && isMatched(item),
    is_break: !is_duplicate && isBreak(item),
  };
}

/** A quarantined record that turned out to be no clearing, applied. */
export function appliedOtherRecord(id: number): AppliedRecord {
  return { id, clearing_id: null, is_duplicate: false, is_matched: false, is_break: false };
}
