import type { ItemBatch } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import { joinBytes } from './chunks.ts';

/**
 * The bytes of a text file. One in UTF-16, with or without a byte order mark, is converted to UTF-8,
 * and offsets count the bytes after the conversion. Refuses a file that is not UTF-16, though it
 * begins so.
 */
export async function* textChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let wide: TextDecoder | null = null;
  let head: Uint8Array | null = new Uint8Array();
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (head !== null) {
      bytes = joinBytes([head, chunk]);
      head = bytes.length < 2 ? bytes : null;
      if (head !== null) continue;
      wide = utf16Decoder(bytes);
    }
    yield wide === null ? bytes : convert(wide, bytes);
  }
  if (head !== null) yield head;
  if (wide !== null) yield convert(wide);
}

/**
 * Reads a text file by its converted bytes. Each batch states the bytes of the file itself, which
 * can be fewer.
 */
export async function* readText(
  chunks: AsyncIterable<Uint8Array>,
  read: (text: AsyncIterable<Uint8Array>) => AsyncIterable<ItemBatch>,
): AsyncGenerator<ItemBatch> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const batch of read(textChunks(counted()))) yield { ...batch, bytes };
}

/** The first bytes of a text file as `textChunks` returns them. */
export function textHead(head: Uint8Array): Uint8Array {
  const wide = utf16Decoder(head);
  return wide === null ? head : encoder.encode(new TextDecoder(wide.encoding).decode(head, { stream: true }));
}

/** Text in UTF-8, or else in Windows-1252, in which each byte is a character. */
export function decodeText(bytes: Uint8Array): string {
  const text = utf8.decode(bytes);
  return text.includes('\ufffd') && encoder.encode(text).length !== bytes.length ? windows_1252.decode(bytes) : text;
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const windows_1252 = new TextDecoder('windows-1252');

/** Null for a file in bytes: the first character of a text file is in ASCII. */
function utf16Decoder([first, second]: Uint8Array): TextDecoder | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return decoderOf('utf-16le');
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return decoderOf('utf-16be');
  return null;
}

function decoderOf(encoding: string): TextDecoder {
  return new TextDecoder(encoding, { fatal: true });
}

/** Without bytes, the end of the file. */
function convert(wide: TextDecoder, bytes?: Uint8Array): Uint8Array {
  try {
    return encoder.encode(wide.decode(bytes, { stream: bytes !== undefined }));
  } catch {
    throw new FileProblem('refused', 'bytes_undecodable', `the file has bytes that are not ${wide.encoding}`, null);
  }
}
