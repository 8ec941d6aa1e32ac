import type { ServerResponse } from 'node:http';
import { giveWayWith, type Timers } from '@tallystick/kernel';
import type { AnsweredFile } from './answer.ts';

/** How long a client may take to read what was sent, milliseconds. */
export const reading_ms_max = 60_000;

/** Names of files that need no quotes and no escapes. */
const plain_name = /^[\w.-]+$/;

interface FileSending {
  readonly timers: Timers;
  readonly is_head: boolean;
  /** How long the client may take to read a chunk, milliseconds. `reading_ms_max` when absent. */
  readonly reading_ms?: number;
}

/**
 * Sends a file no faster than the client reads it, so that a file of any length takes the memory of
 * a chunk. Resolves when everything is sent, or when the client is gone. Rejects as a chunk does:
 * the connection has to be closed then, because the client would take a part for the whole.
 */
export async function sendFile(
  res: ServerResponse,
  { media_type, name, first, rest }: AnsweredFile,
  headers: Readonly<Record<string, string>>,
  { timers, is_head, reading_ms = reading_ms_max }: FileSending,
): Promise<void> {
  const giveWay = giveWayWith(timers);
  if (!plain_name.test(name)) throw new TypeError(`${name} is not the plain name of a file`);
  try {
    res.writeHead(200, {
      ...headers,
      'Content-Type': media_type,
      'Content-Disposition': `attachment; filename="${name}"`,
    });
    if (!is_head) {
      await write(timers, res, first, reading_ms);
      while (!res.destroyed) {
        const { done, value } = await rest.next();
        if (done) break;
        await write(timers, res, value, reading_ms);
        await giveWay();
      }
    }
    res.end();
  } finally {
    await rest.return();
  }
}

/** Resolves when the next chunk may be written, or the client is gone. */
async function write({ after }: Timers, res: ServerResponse, chunk: string, reading_ms: number): Promise<void> {
  if (res.destroyed || chunk === '' || res.write(chunk)) return;
  const read = Promise.withResolvers<void>();
  const cancel = after(reading_ms, () => res.destroy());
  const resolve = (): void => read.resolve();
  res.once('drain', resolve).once('close', resolve);
  await read.promise;
  cancel();
  res.off('drain', resolve).off('close', resolve);
}
