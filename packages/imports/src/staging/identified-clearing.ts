import { type ClearingInput, contentOf, namesNothing } from '@tallystick/cards';
import { toHex } from '@tallystick/kernel';
import type { FileClearing } from '../formats/clearing-format.ts';
import type { Import } from '../import.ts';
import type { ImportPorts } from '../ports.ts';
import type { Occurrences } from './occurrences.ts';

/** A clearing of a file with a transaction id. */
export interface IdentifiedClearing extends FileClearing {
  readonly input: ClearingInput;
}

export interface CountedClearing extends FileClearing {
  /**
   * Of a clearing without an id: how many of these with its content the file has up to it, itself
   * included. Absent: it has an id, or was read again without its file.
   */
  readonly occurrence?: number;
}

/** Counts a clearing that has no id by its content. The others stay as they are. */
export function countContent(
  record: FileClearing,
  occurrences: Occurrences,
  { vault }: Pick<ImportPorts, 'vault'>,
): CountedClearing {
  return hasId(record) ? record : { ...record, occurrence: occurrences.count(contentOf(record.input, vault)) };
}

/** What identifies a file: its id, or else the hash of its bytes. */
export type FileIdentity = Pick<Import, 'file_id' | 'sha256'>;

/**
 * The clearing with a transaction id. One without an id gets that of its content and of how many
 * equal ones precede it in the file, so that the same rows exported again are the same clearings.
 * Without an acquirer reference equal purchases of two days' files could not be told apart, so the
 * file is part of the id, too.
 */
export function withTransactionId(
  record: CountedClearing,
  { file_id, sha256 }: FileIdentity,
  ports: Pick<ImportPorts, 'vault' | 'sha256'>,
): IdentifiedClearing {
  if (hasId(record)) return record;
  const { input, occurrence = 1 } = record;
  const file = input.acquirer_reference_data ? null : (file_id ?? sha256);
  const identity = JSON.stringify([contentOf(input, ports.vault), occurrence, file]);
  const id = toHex(ports.sha256(new TextEncoder().encode(identity)));
  return { ...record, input: { ...input, network_financial_transaction_id: id }, synthetic_id: true };
}

function hasId(record: FileClearing): record is IdentifiedClearing {
  return !namesNothing(record.input.network_financial_transaction_id ?? '');
}
