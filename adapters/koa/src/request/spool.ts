import { createCipheriv, randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@tallystick/kernel';

const piece_bytes = 64 * 1024;

/**
 * Receives all of a body into a temporary file, and passes `work` what reads its bytes
 * from the beginning. The file is encrypted with
 * a key that only this process has, and removed afterwards, so that a crash leaves nothing
 * readable. Rejects with a `Fault` when the folder has no room, or cannot be written any more.
 */
export async function spooled<Result>(
  body: AsyncIterable<Uint8Array>,
  work: (read: () => AsyncIterable<Uint8Array>) => Promise<Result>,
  parent = tmpdir(),
): Promise<Result> {
  const unusable = (error: Error): never => {
    throw new Fault(`the upload cannot be kept in ${parent}: ${error.message}`, { retryable: true, cause: error });
  };
  const folder = await mkdtemp(join(parent, 'tallystick-upload-')).catch(unusable);
  const secrets = { key: randomBytes(32), start: randomBytes(16) };
  const cipher = () => createCipheriv('aes-256-ctr', secrets.key, secrets.start);
  let file: FileHandle | null = null;
  try {
    const handle = await open(join(folder, 'body'), 'wx+', 0o600);
    file = handle;
    const encrypt = cipher();
    for await (const bytes of body) await handle.appendFile(encrypt.update(bytes)).catch(unusable);
    return await work(async function* read() {
      // The cipher adds a stream of bits, so that it also decrypts.
      const decrypt = cipher();
      const piece = Buffer.alloc(piece_bytes);
      for (let at = 0; ; ) {
        const { bytesRead } = await handle.read(piece, 0, piece_bytes, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield decrypt.update(piece.subarray(0, bytesRead));
      }
    });
  } finally {
    await file?.close();
    await rm(folder, { recursive: true, force: true });
  }
}
