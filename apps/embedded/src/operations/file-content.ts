/**
 * The content of a file: its bytes at once, its text, or its bytes in chunks as they come, such as
 * a stream of Node. What is not needed any more is dropped, so a file may have any length.
 */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** The content in chunks. */
export async function* chunksOf(content: FileContent): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof content === 'string') yield new TextEncoder().encode(content);
  else if (content instanceof Uint8Array) yield content;
  else yield* content;
}
