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

const line_feed = 0x0a;
const carriage_return = 0x0d;

/** Cuts the bytes of a file into lines, which end with LF, CR or CRLF. */
export class LineReader {
  readonly #pending: Uint8Array[] = [];
  #pending_bytes = 0;
  #offset = 0;
  #count = 0;
  /** The last byte was a CR. */
  #is_after_return = false;

  /** The lines that end within the bytes. Refuses a line that is longer than a record may be. */
  *push(chunk: Uint8Array): Generator<RawLine> {
    let start = 0;
    let [feed, carriage] = [chunk.indexOf(line_feed), chunk.indexOf(carriage_return)];
    while (start < chunk.length) {
      if (this.#is_after_return && feed === start) {
        // It belongs to the line break before.
        start += 1;
        this.#offset += 1;
      }
      this.#is_after_return = false;
      if (feed !== -1 && feed < start) feed = chunk.indexOf(line_feed, start);
      if (carriage !== -1 && carriage < start) carriage = chunk.indexOf(carriage_return, start);
      const end = feed === -1 ? carriage : carriage === -1 ? feed : Math.min(feed, carriage);
      if (end === -1) break;
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      this.#is_after_return = end === carriage;
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
    const bytes = joinBytes(this.#pending);
    const offset = this.#offset;
    this.#pending.length = 0;
    this.#pending_bytes = 0;
    this.#offset += bytes.length + 1;
    this.#count += 1;
    return { bytes, number: this.#count, offset };
  }
}
