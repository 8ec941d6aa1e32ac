import { ipm_record_bytes_max } from './container.ts';
import { ElementMap, type ElementProblem, message_head_bytes, pds_elements } from './elements.ts';
import { copyAsLatin1, digitZone, type IpmEncoding, readDigits } from './encoding.ts';
import { PrivateData } from './private-data.ts';

/** Why a record is quarantined. The reason names the element, and contains no card number. */
export class MalformedRecord extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.name = 'MalformedRecord';
    this.code = code;
  }
}

/**
 * One message of a file: MTI, bitmap and elements. One object reads all records of a file, one
 * after the other. The elements are decoded when they are asked for.
 */
export class IpmMessage {
  readonly #zone: number;
  /** The record as latin-1; only for cp500, whose bytes are translated first. */
  readonly #translated: Buffer | null;
  readonly #map = new ElementMap();
  readonly #private_data = new PrivateData();
  #is_private_data_read = false;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #text = '';

  constructor(encoding: IpmEncoding) {
    this.#zone = digitZone(encoding);
    this.#translated = encoding === 'cp500' ? Buffer.alloc(ipm_record_bytes_max) : null;
  }

  /** Takes the next record, and locates its elements as far as they can be. */
  take(bytes: Buffer, start: number, end: number): ElementProblem | null {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#is_private_data_read = false;
    if (this.#translated === null) {
      this.#text = bytes.toString('latin1', start, end);
    } else {
      const length = copyAsLatin1(bytes, start, end, this.#translated);
      this.#text = this.#translated.toString('latin1', 0, length);
    }
    return this.#map.locate(bytes, start, end, this.#zone);
  }

  /** The message type indicator; -1 when it is not four digits. */
  get mti(): number {
    return this.#end - this.#start < 4 ? -1 : readDigits(this.#bytes, this.#start, this.#start + 4, this.#zone);
  }

  /** MTI and function code (DE24), `1240/200`. Throws `MalformedRecord`. */
  get type(): string {
    if (this.mti === -1) throw new MalformedRecord('mti_malformed', 'the message type is not four digits');
    return `${this.#text.slice(0, 4)}/${String(this.function_code).padStart(3, '0')}`;
  }

  /** DE24. Throws `MalformedRecord`. */
  get function_code(): number {
    const function_code = this.number(24);
    if (function_code === null || function_code === -1) {
      throw new MalformedRecord('function_code_malformed', 'DE24 is missing or not three digits');
    }
    return function_code;
  }

  /** Whether the bitmap states the element, even if its content could not be located. */
  states(element: number): boolean {
    if (this.#end - this.#start < message_head_bytes) return false;
    const byte = this.#bytes[this.#start + 4 + ((element - 1) >> 3)]!;
    return (byte & (0x80 >> ((element - 1) & 7))) !== 0;
  }

  has(element: number): boolean {
    return this.#map.has(element);
  }

  /** The element as it came, with its spaces; null when the message does not have it. */
  text(element: number): string | null {
    const start = this.#map.starts[element]!;
    return start < 0 ? null : this.#text.slice(start - this.#start, this.#map.ends[element]! - this.#start);
  }

  /**
   * The number that the element states; -1 when it has other characters than digits; null when it
   * is absent.
   */
  number(element: number): number | null {
    const start = this.#map.starts[element]!;
    return start < 0 ? null : readDigits(this.#bytes, start, this.#map.ends[element]!, this.#zone);
  }

  bytes(element: number): Buffer | null {
    const start = this.#map.starts[element]!;
    return start < 0 ? null : this.#bytes.subarray(start, this.#map.ends[element]!);
  }

  /** The value of a private data subelement, or null. Throws `MalformedRecord`. */
  pds(tag: number): string | null {
    if (!this.#is_private_data_read) this.#readPrivateData();
    return this.#private_data.value(tag);
  }

  /** The tags of the private data. Throws `MalformedRecord`. */
  get pds_tags(): readonly number[] {
    if (!this.#is_private_data_read) this.#readPrivateData();
    return this.#private_data.tags;
  }

  copy(): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(this.#start, this.#end));
  }

  #readPrivateData(): void {
    const carriers = pds_elements.filter((element) => this.#map.has(element));
    const only = carriers.length === 1 ? carriers[0]! : null;
    const joined = only === null ? carriers.map((element) => this.text(element)).join('') : null;
    const problem =
      joined === null
        ? this.#private_data.read(
            this.#text,
            this.#map.starts[only!]! - this.#start,
            this.#map.ends[only!]! - this.#start,
          )
        : this.#private_data.read(joined, 0, joined.length);
    if (problem !== null) throw new MalformedRecord('private_data_malformed', problem);
    this.#is_private_data_read = true;
  }
}
