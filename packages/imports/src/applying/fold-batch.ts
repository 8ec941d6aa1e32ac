import {
  type ClearingAnswer,
  type ClearingMessage,
  excerptOfInput,
  type Fold,
  foldMessages,
  identityOfRecord,
  isBreak,
  isMatched,
  type LedgerChanges,
  normalizeClearing,
  type PassPorts,
  type RefusedRecord,
  sealInput,
  sealRecord,
  sourceOf,
} from '@tallystick/cards';
import { assert, maskDigitRuns, Refusal, toHex, toStorableJson, toStorableText } from '@tallystick/kernel';
import type { BadRecord } from '../formats/clearing-format.ts';
import { doneRecords, type Import, type ImportCounts } from '../import.ts';
import type { ImportPorts } from '../ports.ts';
import { type CountedClearing, type FileIdentity, withTransactionId } from '../staging/identified-clearing.ts';

/** A record of a clearing, ready for a pass. */
export type ReadyRecord =
  | { readonly kind: 'message'; readonly ordinal: number; readonly offset: number; readonly message: ClearingMessage }
  | { readonly kind: 'refused'; readonly ordinal: number; readonly offset: number; readonly refused: Refused };

/** A record without a message, as it goes to quarantine. */
export type Refused = Omit<RefusedRecord, 'first_seen_at_ms' | 'last_seen_at_ms'>;

export type FoldPorts = PassPorts & Pick<ImportPorts, 'vault'>;

/** Identifies the records of an import, and validates them as the network's messages are. */
export function readyRecords(
  ports: FoldPorts,
  file: FileIdentity & Pick<Import, 'id'>,
  records: readonly (CountedClearing | BadRecord)[],
  request_id: string | null,
): readonly ReadyRecord[] {
  return records.map((record) => {
    const { ordinal, offset } = record;
    const place = { import_id: file.id, ordinal, position: offset };
    const refuse = ({ explanation, excerpt, ...its }: RefusalOfRecord): ReadyRecord => {
      const refused: Refused = {
        ...sourceOf(place),
        identity_sha256: identityOfRecord(ports.sha256, place),
        count: 1,
        request_id,
        ...its,
        // A file may contain any text. The sealed message keeps it as it is.
        explanation: toStorableText(explanation),
        excerpt: toStorableJson(excerpt) as RefusedRecord['excerpt'],
      };
      return { kind: 'refused', ordinal, offset, refused };
    };
    if (record.kind === 'bad') {
      const { code, reason, raw, record_from } = record;
      return refuse({
        reason: 'malformed_record',
        explanation: `${code}: ${reason}`,
        excerpt: { code, record: excerptOfBytes(raw.subarray(record_from)) },
        message_sealed: sealRecord(ports.sealer, raw),
      });
    }
    const { input, synthetic_id, last4 } = withTransactionId(record, file, ports);
    try {
      const message = normalizeClearing(input, ports.vault, request_id, { synthetic_id, last4, place });
      return { kind: 'message', ordinal, offset, message };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return refuse({
        reason: 'invalid_clearing',
        explanation: error.message,
        excerpt: excerptOfInput(input),
        message_sealed: sealInput(ports.sealer, input, { synthetic_id, last4 }),
      });
    }
  });
}

/** Why a record has no message, and what is kept of it. */
type RefusalOfRecord = Pick<RefusedRecord, 'reason' | 'explanation' | 'excerpt' | 'message_sealed'>;

const excerpt_length_max = 200;

/** The beginning of a record that cannot be read, as text without card numbers. */
export function excerptOfBytes(raw: Uint8Array): string {
  // Masked as a whole: what is cut before could end within a number. Digits in EBCDIC are bytes
  // above ASCII, which no mask finds, so only text in UTF-8 keeps such bytes.
  const text = (utf8TextOf(raw) ?? asciiTextOf(raw)).replaceAll(/\p{Cc}/gu, '.');
  return toStorableText(maskDigitRuns(text).slice(0, excerpt_length_max));
}

/** Null when the bytes are not UTF-8. */
function utf8TextOf(raw: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw);
  } catch {
    return null;
  }
}

/** A point for each byte above ASCII. */
function asciiTextOf(raw: Uint8Array): string {
  return new TextDecoder('latin1').decode(raw).replaceAll(/[^\0-\x7f]/g, '.');
}

/** What became of the records of a batch. */
export interface FoldedBatch {
  readonly counts: ImportCounts;
  /** The answer to each message, in their order. */
  readonly answers: readonly ClearingAnswer[];
}

/**
 * The fold over the records of a batch: their messages as if they had come from the network, the
 * other records into quarantine.
 */
export function foldBatch(
  ports: FoldPorts,
  records: readonly ReadyRecord[],
  progressOf: (counts: ImportCounts) => Partial<LedgerChanges> = () => ({}),
): Fold<FoldedBatch> {
  const messages = messagesOf(records);
  const refused = records.flatMap((record) => (record.kind === 'refused' ? [record.refused] : []));
  return (state) => {
    const { changes, result } = foldMessages(state, messages, ports);
    const answers = result as readonly ClearingAnswer[];
    const times = { first_seen_at_ms: state.now_ms, last_seen_at_ms: state.now_ms };
    const quarantined = [...changes.quarantined, ...refused.map((one) => ({ ...one, ...times }))];
    const counts = countsOf(answers, refused.length);
    // An import whose records are not all in its counts must not end as completed.
    assert(doneRecords(counts) === records.length, 'each record ends in exactly one count');
    return {
      // Two passes that keep the same records do not lock each other then.
      changes: { ...changes, quarantined: quarantined.sort(byIdentity), ...progressOf(counts) },
      result: { counts, answers },
    };
  };
}

/** The messages among the records, in their order. */
export function messagesOf(records: readonly ReadyRecord[]): readonly ClearingMessage[] {
  return records.flatMap((record) => (record.kind === 'message' ? [record.message] : []));
}

/** The order in which all passes write refused records. */
export function byIdentity(a: RefusedRecord, b: RefusedRecord): number {
  return toHex(a.identity_sha256) < toHex(b.identity_sha256) ? -1 : 1;
}

function countsOf(answers: readonly ClearingAnswer[], refused_count: number): ImportCounts {
  const counts = { applied: 0, duplicates: 0, quarantined: refused_count, matched: 0, breaks: 0 };
  for (const answer of answers) {
    if (answer.kind === 'refused') counts.quarantined += 1;
    else if (answer.duplicate) counts.duplicates += 1;
    else {
      counts.applied += 1;
      if (isMatched(answer.item)) counts.matched += 1;
      if (isBreak(answer.item)) counts.breaks += 1;
    }
  }
  return counts;
}
