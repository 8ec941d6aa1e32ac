import { type ClearingFormat, gatherChunks } from '@tallystick/imports';
import { Camt053Reader } from './reader.ts';
import { writeCamt053 } from './writer.ts';

/** The statement message of ISO 20022, camt.053 in any version. */
export const camt053: ClearingFormat = {
  name: 'camt053',
  title: 'camt.053 (bank statements, XML)',
  detect(head) {
    // In UTF-16 each character of the name has a zero byte.
    const text = new TextDecoder('latin1').decode(head).replaceAll('\0', '');
    return text.includes('tech:xsd:camt.053.001.');
  },
  read: (chunks) => new Camt053Reader().read(gatherChunks(chunks)),
  writeStatements: writeCamt053,
};
