import { record_bytes_max } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import { joinBytes } from './chunks.ts';

/** A line without its line break. */
export interface RawLine {
  readonly bytes: Uint8Array;
  /** From 1. */
  readonly number: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
}

/** Cuts the bytes of a file into lines. */
export class LineReader {
  readonly #pending: Uint8Array[] = [];
  #pending_bytes = 0;
  #offset = 0;
  #count = 0;

  /** The lines that end within the bytes. Refuses a line that is longer than a record may be. */
  *push(chunk: Uint8Array): Generator<RawLine> {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#line();
    }
    this.#keep(chunk.subarray(start));
  }

  /** The bytes after the last line break; null when there are none. */
  finish(): RawLine | null {
    return this.#pending_bytes === 0 ? null : this.#line();
  }

  #keep(bytes: Uint8Array): void {
    this.#pending_bytes += bytes.length;
    if (this.#pending_bytes > record_bytes_max) {
      throw new FileProblem(
        'refused',
        'line_too_long',
        `line ${this.#count + 1} at offset ${this.#offset} is longer than ${record_bytes_max} bytes`,
        this.#offset,
      );
    }
    if (bytes.length > 0) this.#pending.push(bytes);
  }

  #line(): RawLine {
    const whole = joinBytes(this.#pending);
    const offset = this.#offset;
    this.#pending.length = 0;
    this.#pending_bytes = 0;
    this.#offset += whole.length + 1;
    this.#count += 1;
    const bytes = whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole;
    return { bytes, number: this.#count, offset };
  }
}
