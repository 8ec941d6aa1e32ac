import type { ClearingFormat } from '@tallystick/imports';
import { readCardLineAgain, Vcf4Reader } from './reader.ts';
import { writeVcf4 } from './writer.ts';

/**
 * The tab-delimited commercial format of another network, version 4. Only its card transactions are
 * clearings.
 */
export const vcf4: ClearingFormat = {
  name: 'vcf4',
  title: 'VCF4 (tab-delimited)',
  detect: (head) => /^6\t\w+\t\d+\t\d{8}\t\d+\t\d+\t\d+\t4/.test(Buffer.from(head).toString('latin1')),
  read: (chunks) => new Vcf4Reader().read(chunks),
  readRecord: readCardLineAgain,
  write: writeVcf4,
};
