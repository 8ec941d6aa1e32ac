import { refuseNumbersOfCards } from '@tallystick/cards';
import { isStorable, Refusal } from '@tallystick/kernel';
import type { FileHeader } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import type { ImportPorts } from '../ports.ts';

/** The longest file id or series, in UTF-16 units. */
const id_length_max = 255;

/**
 * The header, whose texts can be stored and shown. Throws `FileProblem` otherwise, whichever format
 * has read it.
 */
export function checkHeader(header: FileHeader): FileHeader {
  for (const name of ['file_id', 'series'] as const) {
    const text = header[name];
    if (text === null || (text.length >= 1 && text.length <= id_length_max && isPlain(text))) continue;
    const message = `the ${name} must have 1 to ${id_length_max} characters and no control characters`;
    throw new FileProblem('refused', 'header_malformed', message, header.offset);
  }
  return header;
}

/** Checks the header, and refuses a text that contains the number of a card (ADR 0026). */
export async function acceptHeader(
  header: FileHeader,
  ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>,
): Promise<FileHeader> {
  const { file_id, series } = checkHeader(header);
  try {
    await ports.unitOfWork.read((tx) => refuseNumbersOfCards(tx, ports, { file_id, series }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new FileProblem('refused', 'header_malformed', error.message, header.offset);
  }
  return header;
}

function isPlain(text: string): boolean {
  return isStorable(text) && !/\p{Cc}/u.test(text);
}
