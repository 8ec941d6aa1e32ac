import { type ClearingFormat, gatherChunks, readText, textHead } from '@tallystick/imports';
import { Bai2Reader } from './bai2/reader.ts';
import { bai2_variants, writeBai2 } from './bai2/writer.ts';
import { Camt053Reader } from './camt053/reader.ts';
import { writeCamt053 } from './camt053/writer.ts';
import { Mt940Reader } from './mt940/reader.ts';
import { writeMt940 } from './mt940/writer.ts';

/** The comma-delimited format of balances and transactions that banks send as BAI2. */
export const bai2: ClearingFormat = {
  name: 'bai2',
  title: 'BAI2 (bank statements)',
  may_lack_balances: true,
  detect: (head) => header.test(new TextDecoder().decode(textHead(head))),
  read: (chunks) => readText(chunks, (text) => new Bai2Reader().read(text)),
  variants: bai2_variants,
  writeStatements: writeBai2,
};

/** The first record: sender, receiver and date, also where a record 88 continues it. */
const header = /^\s*01\s*,[^,/\r\n]*,[^,/\r\n]*(?:,|\/\s*88,)\s*\d{6}(?:\d\d)?\s*[,/]/;

/**
 * The statement message of ISO 20022, camt.053 in any version. The other messages about an account
 * are recognised, too: they are refused with what to ask the bank for.
 */
export const camt053: ClearingFormat = {
  name: 'camt053',
  title: 'camt.053 (bank statements, XML)',
  detect(head) {
    // In UTF-16 each character of the name has a zero byte.
    const text = new TextDecoder('latin1').decode(head).replaceAll('\0', '');
    return /^[^<]{0,100}</.test(text) && /camt\.05[234]\.001\.|\bBkToCstmr(Stmt|AcctRpt|DbtCdtNtfctn)/.test(text);
  },
  read: (chunks) => new Camt053Reader().read(gatherChunks(chunks)),
  writeStatements: writeCamt053,
};

/** The customer statement message of SWIFT, MT940. An MT942 is recognised, to be refused by name. */
export const mt940: ClearingFormat = {
  name: 'mt940',
  title: 'MT940 (bank statements)',
  detect(head) {
    const text = new TextDecoder().decode(textHead(head));
    if (/\{2:[IO]94[02]/.test(text)) return true;
    const has = (tags: string): boolean => new RegExp(`(?:^|[\\r\\n]|\\{4:):(?:${tags}):`).test(text);
    return has('20|25P?') && has('28C?|34F|60[FM]|61|62[FM]');
  },
  read: (chunks) => readText(chunks, (text) => new Mt940Reader().read(text)),
  writeStatements: writeMt940,
};

/** The formats of this adapter, in the order in which a file is tried for them. */
export const statement_formats: readonly ClearingFormat[] = [bai2, camt053, mt940];
