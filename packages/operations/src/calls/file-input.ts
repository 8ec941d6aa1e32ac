import { invalid } from '@tallystick/kernel';

/** The bytes of a file of any length, whole or in pieces. A Node stream and a web stream fit. */
export type FileInput = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Returns the pieces of a file. Refuses (`validation_failed`) what has no bytes, at once, and a
 * file longer than `bytes_max`, when so many pieces have been read.
 */
export function piecesOf(file: FileInput | undefined, bytes_max: number): AsyncIterable<Uint8Array> {
  if (file instanceof Uint8Array) return bounded([file], bytes_max);
  if (typeof file === 'object' && file !== null && (Symbol.asyncIterator in file || Symbol.iterator in file)) {
    return bounded(file, bytes_max);
  }
  throw invalid({ path: 'file', message: 'is required: the bytes of the file, or a stream of them' });
}

async function* bounded(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytes_max: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) throw invalid({ path: 'file', message: 'must consist of bytes (Uint8Array)' });
    bytes += piece.length;
    if (bytes > bytes_max) throw invalid({ path: 'file', message: `must have at most ${bytes_max} bytes` });
    yield piece;
  }
}
