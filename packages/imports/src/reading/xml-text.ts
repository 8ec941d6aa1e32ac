import { maskCardNumbers } from '@tallystick/kernel';
import { FileProblem } from '../formats/file-problem.ts';
import { joinBytes } from './chunks.ts';

/** A part of an XML file that ends with the end of a markup, as text. */
export interface XmlPart {
  readonly text: string;
  /** Bytes from the start of the file to the part. */
  readonly offset: number;
  /** Bytes from the start of the file to the end of the part. */
  readonly end: number;
  /** Bytes of one UTF-16 unit of the text; null when the units differ. */
  readonly unit_bytes: 1 | 2 | null;
}

/** The longest run of bytes without the end of a markup. A part may be twice as long. */
export const run_bytes_max = 65_536;

/** Bytes within which an XML declaration must end. */
const declaration_bytes_max = 1_024;
const declaration_start = '<?xml';
/** The characters that a document begins with: `<` and white space. */
const xml_starts: readonly number[] = [...'< \t\r\n'].map((character) => character.charCodeAt(0));

interface Encoding {
  readonly decoder: TextDecoder;
  /** Bytes of a code unit of the encoding. */
  readonly unit: 1 | 2;
  readonly is_big_endian: boolean;
  /** Whether each byte is a character. */
  readonly is_single_byte: boolean;
}

/**
 * Decodes the bytes of an XML file (XML 1.0, appendix F): by its byte order mark or its first
 * bytes, else by its declaration, else as UTF-8. Each part ends after a `>`, so that a part never
 * divides a character. Bytes that are no text are refused. The mark stays in the text: the parser
 * skips it.
 */
export class XmlTextReader {
  readonly #pending: Uint8Array[] = [];
  #pending_bytes = 0;
  #offset = 0;
  #received = 0;
  #encoding: Encoding | null = null;

  /** Bytes of the file so far. */
  get received(): number {
    return this.#received;
  }

  /** Whether the file has two bytes to a code unit. */
  get is_wide(): boolean {
    return this.#encoding?.unit === 2;
  }

  /** The parts that end within the bytes. */
  *push(chunk: Uint8Array): Generator<XmlPart> {
    this.#received += chunk.length;
    for (let start = 0; start < chunk.length; start += run_bytes_max) {
      yield* this.#take(chunk.subarray(start, start + run_bytes_max));
    }
  }

  /** What came after the last markup; null when it is no text. */
  finish(): XmlPart | null {
    const rest = this.#join();
    if (this.#encoding === null && rest.length > 0) return null;
    try {
      return this.#part(rest);
    } catch (problem) {
      if (problem instanceof FileProblem) return null;
      throw problem;
    }
  }

  *#take(bytes: Uint8Array): Generator<XmlPart> {
    let end: number;
    if (this.#encoding === null || this.#encoding.unit === 2) {
      this.#keep(bytes);
      const whole = this.#join();
      this.#encoding ??= this.#recognise(whole);
      end = this.#encoding === null ? 0 : markupEnd(whole, this.#encoding);
      this.#bound(this.#encoding === null ? whole.length : firstMarkupEnd(whole, this.#encoding));
      if (end > 0) yield this.#part(whole.subarray(0, end));
      this.#keep(whole.subarray(end));
      return;
    }
    end = bytes.lastIndexOf(0x3e) + 1;
    this.#bound(this.#pending_bytes + (end === 0 ? bytes.length : bytes.indexOf(0x3e)));
    if (end > 0) {
      this.#keep(bytes.subarray(0, end));
      yield this.#part(this.#join());
    }
    this.#keep(bytes.subarray(end));
  }

  #bound(run_bytes: number): void {
    if (run_bytes <= run_bytes_max) return;
    const message = `${run_bytes_max} bytes from offset ${this.#offset} contain no end of a markup`;
    throw new FileProblem('refused', 'markup_too_long', message, this.#offset);
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#pending_bytes += bytes.length;
  }

  #join(): Uint8Array {
    const joined = joinBytes(this.#pending);
    this.#pending.length = 0;
    this.#pending_bytes = 0;
    return joined;
  }

  #part(bytes: Uint8Array): XmlPart {
    const offset = this.#offset;
    const end = offset + bytes.length;
    if (bytes.length === 0) return { text: '', offset, end, unit_bytes: 1 };
    this.#offset = end;
    const { decoder, unit, is_single_byte } = this.#encoding!;
    try {
      const text = decoder.decode(bytes);
      // A text of so many units as bytes has only characters of one byte.
      const unit_bytes = unit === 2 ? 2 : is_single_byte || text.length === bytes.length ? 1 : null;
      return { text, offset, end, unit_bytes };
    } catch {
      throw new FileProblem(
        'refused',
        'bytes_undecodable',
        `bytes between offset ${offset} and ${end} are no text in ${decoder.encoding}`,
        offset,
      );
    }
  }

  /** The encoding, or null while too few bytes are there. */
  #recognise(head: Uint8Array): Encoding | null {
    if (head.length < 4) return null;
    const mark = markBytes(head);
    const is_big_endian = head[0] === 0xfe || head[0] === 0;
    const is_wide = mark === 2 || head[0] === 0 || head[1] === 0;
    // The first byte of a character of two bytes, or the second when that one is first.
    const first = head[mark + (is_wide && is_big_endian ? 1 : 0)]!;
    if (!xml_starts.includes(first)) {
      const message = 'the file is no XML: its first character is neither < nor white space';
      throw new FileProblem('refused', 'xml_malformed', message, mark);
    }
    if (is_wide) return encodingOf(is_big_endian ? 'utf-16be' : 'utf-16le');
    const text = single_byte_decoder.decode(head.subarray(mark, mark + declaration_bytes_max));
    if (text.length < declaration_start.length && declaration_start.startsWith(text)) return null;
    if (!text.startsWith(declaration_start)) return encodingOf('utf-8');
    if (!text.includes('?>') && text.length < declaration_bytes_max) return null;
    const declared = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']{1,40})["']/.exec(text)?.[1]?.toLowerCase() ?? 'utf-8';
    const label = labels.get(declared);
    if (label === undefined || (mark === 3 && label !== 'utf-8')) {
      throw new FileProblem(
        'refused',
        'encoding_unsupported',
        `the declared encoding ${maskCardNumbers(declared)} is not supported, or not the encoding of the file`,
        0,
      );
    }
    return encodingOf(label);
  }
}

/** The encodings with one byte to a code unit, by the names that a declaration may have. */
const labels: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['ascii', 'utf-8'],
  ['iso-8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1252', 'windows-1252'],
]);

function encodingOf(label: string): Encoding {
  return {
    decoder: new TextDecoder(label, { fatal: true, ignoreBOM: true }),
    unit: label.startsWith('utf-16') ? 2 : 1,
    is_big_endian: label === 'utf-16be',
    is_single_byte: !label.startsWith('utf-'),
  };
}

const single_byte_decoder = new TextDecoder('latin1');

/** The length of the byte order mark. */
function markBytes(head: Uint8Array): 0 | 2 | 3 {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 3;
  if ((head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0xff && head[1] === 0xfe)) return 2;
  return 0;
}

/** The end of the last `>`, or 0. */
function markupEnd(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding.unit === 1) return bytes.lastIndexOf(0x3e) + 1;
  for (let at = (bytes.length & ~1) - 2; at >= 0; at -= 2) if (isMarkupEnd(bytes, at, encoding)) return at + 2;
  return 0;
}

/** The place of the first `>`, or the number of bytes. */
function firstMarkupEnd(bytes: Uint8Array, encoding: Encoding): number {
  for (let at = 0; at < bytes.length; at += encoding.unit) if (isMarkupEnd(bytes, at, encoding)) return at;
  return bytes.length;
}

function isMarkupEnd(bytes: Uint8Array, at: number, { unit, is_big_endian }: Encoding): boolean {
  if (unit === 1) return bytes[at] === 0x3e;
  return bytes[is_big_endian ? at + 1 : at] === 0x3e && bytes[is_big_endian ? at : at + 1] === 0;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 has no way to write. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/u;

/**
 * Text as the content of an element or an attribute. Throws a `RangeError` for what XML cannot
 * contain.
 */
export function escapeXml(text: string): string {
  if (unwritable.test(text)) throw new RangeError('a text has a character that XML cannot contain');
  return text.replace(/[&<>"\r\n\t]/g, (character) => entities[character] ?? `&#${character.charCodeAt(0)};`);
}
