/**
 * The content of a file, of any length: its text, its bytes, or its bytes in chunks as they come,
 * such as a stream.
 */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
