import { record_bytes_max } from '../formats/clearing-format.ts';
import type { XmlPart } from './xml-text.ts';

const encoder = new TextEncoder();

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
    // What is longer is not kept.
    if (this.#raw.length <= record_bytes_max) {
      this.#raw += this.#part.text.slice(Math.max(0, this.#raw_start - this.#part_start));
    }
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
    const bytes = encoder.encode(text.slice(this.#known.at, at)).length;
    // In other encodings than UTF-8 the characters are shorter.
    this.#known = { at, offset: Math.min(this.#known.offset + bytes, this.end) };
    return this.#known.offset;
  }

  #keepTail(): void {
    const { text } = this.#part;
    const at = text.lastIndexOf('<');
    if (at === -1) this.#tail.text += text;
    else this.#tail = { text: text.slice(at), offset: this.offsetOf(this.#part_start + at) };
  }
}

/** A document that exceeds one of these bounds is refused. Lengths in characters. */
export const xml_bounds = { depth: 32, text_length: 4_096, attributes: 64, name_length: 256 } as const;

/** Refuses an element that exceeds the bounds. `depth`: open elements, this one included. */
export function boundElement(
  { name, attributes }: { readonly name: string; readonly attributes: Readonly<Record<string, string>> },
  depth: number,
  refuse: (code: string, message: string) => never,
): void {
  const { depth: depth_max, text_length, attributes: attributes_max, name_length } = xml_bounds;
  if (depth > depth_max) refuse('depth_exceeded', `elements are nested deeper than ${depth_max}`);
  if (name.length > name_length) {
    refuse('name_too_long', `the name of an element is longer than ${name_length} characters`);
  }
  let count = 0;
  for (const attribute in attributes) {
    count += 1;
    if (attribute.length > name_length) {
      refuse('name_too_long', `the name of an attribute is longer than ${name_length} characters`);
    }
    if (attributes[attribute]!.length > text_length) {
      refuse('text_too_long', `an attribute is longer than ${text_length} characters`);
    }
  }
  if (count > attributes_max) {
    refuse('attributes_exceeded', `an element has ${count} attributes, more than ${attributes_max}`);
  }
}
