import type { ClearingFormat } from '@tallystick/imports';
import { Bai2Reader } from './reader.ts';
import { writeBai2 } from './writer.ts';

/** The comma-delimited format of balances and transactions that banks send as BAI2. */
export const bai2: ClearingFormat = {
  name: 'bai2',
  title: 'BAI2 (bank statements)',
  detect: (head) => /^\uFEFF?01,[^,/\n]*,[^,/\n]*,\s*\d{6}(?:\d\d)?\s*,/.test(new TextDecoder().decode(head)),
  read: (chunks) => new Bai2Reader().read(chunks),
  writeStatements: writeBai2,
};
