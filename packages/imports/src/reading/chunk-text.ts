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
