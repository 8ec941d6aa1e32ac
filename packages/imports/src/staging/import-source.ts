import type { Sha256Stream } from '@tallystick/kernel';
import { head_bytes } from '../formats/clearing-format.ts';
import type { ImportPorts } from '../ports.ts';

export interface ImportSource {
  /** For people; the base name of the file. */
  readonly name: string;
  /** The bytes of the file from its start. Called once, or repeatedly when `is_repeatable`. */
  open(): AsyncIterable<Uint8Array>;
  /** Whether `open` may be called again: true for a file, false for a stream. */
  readonly is_repeatable: boolean;
  readonly bytes_total: number | null;
}

/** The most bytes that a format reads at once: it does not give way meanwhile. */
const piece_bytes_max = 16_384;

/**
 * One reading of a source. It hashes every byte that it returns, and it can be read to its end
 * after a reader has stopped before.
 */
export class SourceReading {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #sha256: Sha256Stream;
  readonly #giveWay: ImportPorts['giveWay'];
  #head: Uint8Array[] = [];
  #bytes_read = 0;
  #is_done = false;

  constructor(source: ImportSource, { createSha256, giveWay }: Pick<ImportPorts, 'createSha256' | 'giveWay'>) {
    this.#bytes = source.open()[Symbol.asyncIterator]();
    this.#sha256 = createSha256();
    this.#giveWay = giveWay;
  }

  get bytes_read(): number {
    return this.#bytes_read;
  }

  /** The first bytes, as many as a format is recognised by. Called before `chunks`. */
  async head(): Promise<Uint8Array> {
    let length = 0;
    while (length < head_bytes) {
      const chunk = await this.#next();
      if (chunk === null) break;
      this.#head.push(chunk);
      length += chunk.length;
    }
    return joined(this.#head, length);
  }

  /** The bytes from the start. A reader that stops early does not close the source. */
  chunks(): AsyncIterable<Uint8Array> {
    let rest: Uint8Array | null = null;
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      await this.#giveWay();
      const value = rest ?? this.#head.shift() ?? (await this.#next());
      if (value === null) return { done: true, value: undefined };
      rest = value.length > piece_bytes_max ? value.subarray(piece_bytes_max) : null;
      return { done: false, value: value.subarray(0, piece_bytes_max) };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** Reads the rest of the source, and returns the SHA-256 of all its bytes. */
  async digest(): Promise<string> {
    while ((await this.#next()) !== null);
    return this.#sha256.digest();
  }

  async close(): Promise<void> {
    if (!this.#is_done) await this.#bytes.return?.();
  }

  async #next(): Promise<Uint8Array | null> {
    if (this.#is_done) return null;
    const { done, value } = await this.#bytes.next();
    this.#is_done = done === true;
    if (this.#is_done) return null;
    this.#sha256.update(value);
    this.#bytes_read += value.length;
    return value;
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
