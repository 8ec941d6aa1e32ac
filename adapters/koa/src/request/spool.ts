import { createCipheriv } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawUuid, Fault, type Random } from '@tallystick/kernel';

/** What is read of a table at once is parsed in one turn of the event loop (ADR 0054). */
const piece_bytes = 8 * 1024;

/**
 * Receives all of a body into a temporary file, and passes `work` what reads its bytes from the
 * beginning. The file is encrypted with a key that only this process has. It has no name while it is
 * in use, so that nothing stays when the process is killed. Rejects with a `Fault` when the folder
 * has no room, or cannot be written any more.
 */
export async function spooled<Result>(
  body: AsyncIterable<Uint8Array>,
  work: (read: () => AsyncIterable<Uint8Array>) => Promise<Result>,
  random: Random,
  parent = tmpdir(),
): Promise<Result> {
  const unusable = (error: Error): never => {
    throw new Fault(`the upload cannot be kept in ${parent}: ${error.message}`, { retryable: true, cause: error });
  };
  const path = join(parent, `tallystick-upload-${drawUuid(random)}`);
  const secrets = { key: random.bytes(32), start: random.bytes(16) };
  const cipher = () => createCipheriv('aes-256-ctr', secrets.key, secrets.start);
  const file = await open(path, 'wx+', 0o600).catch(unusable);
  try {
    await unlink(path).catch(unusable);
    const encrypt = cipher();
    for await (const bytes of body) await file.appendFile(encrypt.update(bytes)).catch(unusable);
    return await work(async function* read() {
      // The cipher adds a stream of bits, so that it also decrypts.
      const decrypt = cipher();
      const piece = Buffer.alloc(piece_bytes);
      for (let at = 0; ; ) {
        const { bytesRead } = await file.read(piece, 0, piece_bytes, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield decrypt.update(piece.subarray(0, bytesRead));
      }
    });
  } finally {
    await file.close();
  }
}
