import type { XmlPart } from '@tallystick/imports';

export interface TagStart {
  /** In the text of the whole file, or at the start of the part when it begins before. */
  readonly position: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** The text of the tag before the part. */
  readonly text: string;
}

/**
 * The text of a file that is parsed part by part: converts the parser's positions, in characters of
 * the whole text, to bytes of the file, and keeps the raw text of the record that is open.
 */
export class SourceText {
  #part: XmlPart = { text: '', offset: 0, end: 0, unit_bytes: 1 };
  /** The position of the part in the text of the whole file. */
  #part_start = 0;
  /** The last place of this part whose offset is known. */
  #known = { at: 0, offset: 0 };
  /** The text from the last `<` before this part. A tag with a `>` in an attribute begins there. */
  #tail = { text: '', offset: 0 };
  #raw_start: number | null = null;
  #raw = '';

  /** Bytes from the start of the file to the end of the part. */
  get end(): number {
    return this.#part.end;
  }

  get endPosition(): number {
    return this.#part_start + this.#part.text.length;
  }

  beginPart(part: XmlPart): void {
    this.#keepTail();
    this.#part_start = this.endPosition;
    this.#part = part;
    this.#known = { at: 0, offset: part.offset };
  }

  /** Keeps the rest of the part for the record that is open. Null: none is open. */
  endPart(): string | null {
    if (this.#raw_start === null) return null;
    this.#raw += this.#part.text.slice(Math.max(0, this.#raw_start - this.#part_start));
    return this.#raw;
  }

  beginRaw({ position, text }: TagStart): void {
    this.#raw_start = position;
    this.#raw = text;
  }

  endRaw(position: number): string {
    const start = Math.max(0, this.#raw_start! - this.#part_start);
    const raw = this.#raw + this.#part.text.slice(start, position - this.#part_start);
    this.#raw = '';
    this.#raw_start = null;
    return raw;
  }

  /** Where the tag begins that ends at the position. A tag contains no other `<`. */
  tagStart(end: number): TagStart {
    const at = this.#part.text.lastIndexOf('<', end - this.#part_start - 1);
    if (at === -1) return { position: this.#part_start, ...this.#tail };
    const position = this.#part_start + at;
    return { position, offset: this.offsetOf(position), text: '' };
  }

  /** Bytes from the start of the file to a position in this part. */
  offsetOf(position: number): number {
    const { text, offset, unit_bytes } = this.#part;
    const at = Math.min(Math.max(this.#known.at, position - this.#part_start), text.length);
    if (unit_bytes !== null) return offset + at * unit_bytes;
    this.#known = { at, offset: this.#known.offset + Buffer.byteLength(text.slice(this.#known.at, at)) };
    return this.#known.offset;
  }

  #keepTail(): void {
    const { text } = this.#part;
    const at = text.lastIndexOf('<');
    if (at === -1) this.#tail.text += text;
    else this.#tail = { text: text.slice(at), offset: this.offsetOf(this.#part_start + at) };
  }
}
