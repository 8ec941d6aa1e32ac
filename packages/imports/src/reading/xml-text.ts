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
  /** Whether the file may be in UTF-8 in spite of the decoder, or the other way round. */
  readonly is_doubtful: boolean;
}

/**
 * Decodes the bytes of an XML file (XML 1.0, appendix F): by its byte order mark or its first
 * bytes, else by its declaration, else as UTF-8. White space before the declaration is left out.
 * Each part ends after a `>`, so that a part never divides a character. Bytes that are no text are
 * refused. The mark stays in the text: the parser skips it.
 *
 * Declarations are often wrong. One of UTF-16 in a file of single bytes counts as one of UTF-8.
 * Where UTF-8 or Western European text is declared, each run of other bytes than ASCII is in UTF-8
 * if it can be, else in the declared encoding, or in Windows-1252.
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

  /** The parts that end within the bytes. */
  *push(chunk: Uint8Array): Generator<XmlPart> {
    this.#received += chunk.length;
    for (let start = 0; start < chunk.length; start += run_bytes_max) {
      yield* this.#take(chunk.subarray(start, start + run_bytes_max));
    }
  }

  /** Whether nothing but white space, or the end-of-file mark of DOS, came after the last markup. */
  finish(): boolean {
    const rest = new TextDecoder(this.#encoding?.decoder.encoding).decode(this.#join());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is one
    return /^[ \t\r\n\x1a]*$/.test(rest);
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
    this.#offset = end;
    const { decoder, unit, is_doubtful } = this.#encoding!;
    try {
      const text = is_doubtful ? decodeEither(bytes, decoder) : decoder.decode(bytes);
      // A text of so many units as bytes has only characters of one byte.
      const unit_bytes = unit === 2 ? 2 : text.length === bytes.length ? 1 : null;
      const blanks = offset > 0 ? '' : (blanks_before_declaration.exec(text)?.[0] ?? '');
      const skipped = unit === 2 ? 2 * blanks.length : encoder.encode(blanks).length;
      return { text: text.slice(blanks.length), offset: offset + skipped, end, unit_bytes };
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
    if (is_wide) return encodingOf(is_big_endian ? 'utf-16be' : 'utf-16le')!;
    if (mark === 3) return encodingOf('utf-8')!;
    const text = latin1.decode(head.subarray(0, declaration_bytes_max)).trimStart();
    if (text.length < declaration_start.length && declaration_start.startsWith(text)) return null;
    if (!text.startsWith(declaration_start)) return encodingOf('utf-8')!;
    if (!text.includes('?>') && head.length < declaration_bytes_max) return null;
    const declared = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']{1,40})["']/.exec(text)?.[1] ?? 'utf-8';
    const encoding = encodingOf(declared);
    if (encoding === null) {
      const message = `the declared encoding ${maskCardNumbers(declared)} is not supported: ask for the file in UTF-8`;
      throw new FileProblem('refused', 'encoding_unsupported', message, 0);
    }
    // The bytes before were seen to be single.
    return encoding.unit === 2 ? encodingOf('utf-8')! : encoding;
  }
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const latin1 = new TextDecoder('latin1');

const blanks_before_declaration = /^\ufeff?[ \t\r\n]+(?=<\?xml\s)/;

/** The encoding by any of its names of the WHATWG; null when there is none, or none of XML. */
function encodingOf(label: string): Encoding | null {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
  } catch {
    return null;
  }
  const { encoding } = decoder;
  // In this one a byte of `>` can be a part of another character.
  if (encoding === 'iso-2022-jp') return null;
  return {
    decoder: encoding === 'utf-8' ? latin1 : decoder,
    unit: encoding.startsWith('utf-16') ? 2 : 1,
    is_big_endian: encoding === 'utf-16be',
    is_doubtful: ['utf-8', 'windows-1252', 'iso-8859-15'].includes(encoding),
  };
}

/** The text, of which each run of bytes above ASCII is in UTF-8, or else as `other` decodes it. */
function decodeEither(bytes: Uint8Array, other: TextDecoder): string {
  const whole = decodeUtf8(bytes);
  if (whole !== null) return whole;
  let text = '';
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    const is_ascii = bytes[at]! < 0x80;
    while (end < bytes.length && bytes[end]! < 0x80 === is_ascii) end += 1;
    const run = bytes.subarray(at, end);
    text += decodeUtf8(run) ?? other.decode(run);
  }
  return text;
}

/** Null: the bytes are no UTF-8. An exception for each run would need much time. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const text = utf8.decode(bytes);
  return text.includes('\ufffd') && encoder.encode(text).length !== bytes.length ? null : text;
}

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
