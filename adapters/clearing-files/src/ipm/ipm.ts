import type { ClearingFormat } from '@tallystick/imports';
import { beginsWithHeader } from './container.ts';
import { readIpm, readIpmRecord } from './reader.ts';
import { ipm_variants, writeIpm } from './writer.ts';

/**
 * IPM, the network's ISO 8583 clearing files (T112): records of messages in a VBS or 1014
 * container, in ASCII or EBCDIC. The reader detects both.
 *
 * The first message is the header, and the last one the trailer. Both have the file id (PDS0105).
 * The trailer states the number of all messages (PDS0306) and the sum of all DE4 (PDS0301),
 * whatever their currencies. DE71 numbers the messages from 1.
 */
export const ipm: ClearingFormat = {
  name: 'ipm',
  title: 'IPM (ISO 8583 clearing, T112)',
  detect: (head) => beginsWithHeader(head),
  read: (chunks) => readIpm(chunks),
  readRecord: readIpmRecord,
  variants: ipm_variants,
  write: writeIpm,
};
