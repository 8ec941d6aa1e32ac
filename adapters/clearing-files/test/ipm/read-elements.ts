import { RecordCutter } from '../../src/ipm/container.ts';
import { element_forms } from '../../src/ipm/elements.ts';
import { IpmMessage, MalformedRecord } from '../../src/ipm/message.ts';

export interface IpmElements {
  /** Where the length word of the record is in the file, in bytes. */
  readonly offset: number;
  /**
   * Texts by name: `MTI`, `DE2`, `PDS0148`, and the parts of DE43: `DE43_NAME`, `DE43_ADDRESS`,
   * `DE43_SUBURB`, `DE43_POSTCODE`, `DE43_STATE`, `DE43_COUNTRY`. Contains card numbers. DE55 is
   * hexadecimal.
   */
  readonly elements: Readonly<Record<string, string>>;
  /** Why the record could not be read whole, or null. */
  readonly problem: string | null;
}

const element_numbers = Object.keys(element_forms).map(Number);
const binary_element = 55;

/**
 * Reads every element of every message, to look into a file. Checks no totals. Throws
 * `FileProblem` when the container is damaged.
 */
export async function* readIpmElements(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<IpmElements> {
  let message = new IpmMessage('ascii');
  let records: IpmElements[] = [];
  const cutter = new RecordCutter(
    (encoding) => {
      message = new IpmMessage(encoding);
    },
    (bytes, start, end, offset) => {
      const problem = message.take(bytes, start, end)?.reason ?? null;
      records.push({ offset, ...elementsOf(message, problem) });
    },
  );
  for await (const chunk of chunks) {
    cutter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    yield* records;
    records = [];
  }
  cutter.finish(() => false);
  yield* records;
}

function elementsOf(message: IpmMessage, problem: string | null): Omit<IpmElements, 'offset'> {
  const elements: Record<string, string> = {};
  if (message.mti >= 0) elements.MTI = String(message.mti).padStart(4, '0');
  for (const element of element_numbers) {
    const text = element === binary_element ? message.bytes(element)?.toString('hex') : message.text(element);
    if (text !== null && text !== undefined) elements[`DE${element}`] = text;
  }
  Object.assign(elements, addressOf(elements.DE43 ?? ''));
  try {
    for (const tag of message.pds_tags) elements[`PDS${String(tag).padStart(4, '0')}`] = message.pds(tag)!;
  } catch (error) {
    if (!(error instanceof MalformedRecord)) throw error;
    return { elements, problem: problem ?? error.message };
  }
  return { elements, problem };
}

/** The parts of DE43: name, street and city, postcode (10), state (3), country (3). */
function addressOf(text: string): Readonly<Record<string, string>> {
  const found = /^([^\\]+)\\([^\\]+)\\([^\\]+)\\(.{10})(.{3})(\S{3})$/s.exec(text);
  if (found === null) return {};
  const [, name, address, suburb, postcode, state, country] = found as unknown as readonly string[];
  return {
    DE43_NAME: name!.trimEnd(),
    DE43_ADDRESS: address!.trimEnd(),
    DE43_SUBURB: suburb!.trimEnd(),
    DE43_POSTCODE: postcode!.trimEnd(),
    DE43_STATE: state!,
    DE43_COUNTRY: country!,
  };
}
