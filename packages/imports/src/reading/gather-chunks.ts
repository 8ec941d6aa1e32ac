import { joinBytes } from './join-bytes.ts';

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
