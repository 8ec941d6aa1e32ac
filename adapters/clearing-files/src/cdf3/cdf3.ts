import { type ClearingFormat, FileProblem, gatherChunks } from '@tallystick/imports';
import { badRecord } from '../bad-record.ts';
import { Cdf3Reader } from './reader.ts';
import { writeCdf3 } from './writer.ts';

export interface Cdf3Settings {
  /**
   * Finds the id of the card in a CustomIdentifier: its first group, digits. By default the digits
   * at the end, alone or after a prefix that ends in `-`: `VCN-000123` is card 123.
   */
  readonly custom_identifier?: RegExp;
}

const custom_identifier_default = /^(?:.*-)?(\d{1,16})$/;

/** Common Data Format 3, an XML file of posted transactions. */
export function createCdf3({ custom_identifier = custom_identifier_default }: Cdf3Settings = {}): ClearingFormat {
  return {
    name: 'cdf3',
    title: 'Common Data Format 3 (XML)',
    detect(head) {
      // In UTF-16 each character of the name has a zero byte.
      const text = Buffer.from(head).toString('latin1').replaceAll('\0', '');
      return text.includes('<CDFTransmissionFile');
    },
    read: (chunks) => new Cdf3Reader(custom_identifier).read(gatherChunks(chunks)),
    readRecord(raw, file) {
      try {
        return new Cdf3Reader(custom_identifier).readRecord(raw, file);
      } catch (problem) {
        if (!(problem instanceof FileProblem)) throw problem;
        return badRecord(problem, file, raw);
      }
    },
    write: writeCdf3,
  };
}

export const cdf3: ClearingFormat = createCdf3();
