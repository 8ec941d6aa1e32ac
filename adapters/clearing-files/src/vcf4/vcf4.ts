import { type ClearingFormat, decodeText, readText, textHead } from '@tallystick/imports';
import { readCardLineAgain, Vcf4Reader } from './reader.ts';
import { writeVcf4 } from './writer.ts';

/**
 * The tab-delimited commercial format of another network, version 4. Only its card transactions are
 * clearings.
 */
export const vcf4: ClearingFormat = {
  name: 'vcf4',
  title: 'VCF4 (tab-delimited)',
  detect: (head) => file_header.test(decodeText(textHead(head))),
  read: (chunks) => readText(chunks, (text) => new Vcf4Reader().read(text)),
  readRecord: readCardLineAgain,
  write: writeVcf4,
};

/** The header of a file, perhaps after blank lines and a byte order mark. */
const file_header = /^[\ufeff\s]*6 *\t *\w+ *\t *\d+ *\t *(?:\d{8})? *\t *\d{1,2} *\t *\d* *\t *\d* *\t *4[.\s]/;
