const bytes_min = 4_096;

/**
 * The same bytes in chunks of at least 4 KiB, but for the last one. A reader that looks again at an
 * unfinished part with each chunk would need much time for a file that comes byte by byte.
 */
export async function* gatherChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    gathered.push(chunk);
    bytes += chunk.length;
    if (bytes < bytes_min) continue;
    yield joinBytes(gathered);
    gathered = [];
    bytes = 0;
  }
  if (bytes > 0) yield joinBytes(gathered);
}

/** The bytes of the parts, one after another. A single part is returned as it is. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Text of this length is written at once, in UTF-16 units. */
const chunk_length = 65_536;

const encoder = new TextEncoder();

/**
 * The UTF-8 bytes of texts in chunks of about 64 KiB, so that a file of any size is written in
 * constant memory.
 */
export function* chunkText(texts: Iterable<string>): Generator<Uint8Array> {
  let text = '';
  for (const piece of texts) {
    text += piece;
    if (text.length < chunk_length) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}
