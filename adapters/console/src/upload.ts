import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { invalid } from '@tallystick/kernel';

/** A file that a page sends, with what was chosen beside it. */
export interface Upload {
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  /** The bytes as they arrive. Rejects (`validation_failed`) when the request ends too early. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const fields_max = 8;
const field_bytes_max = 1_000;

const no_file = { path: 'file', message: 'is required: choose a file' } as const;
const broken_off = { path: 'file', message: 'did not arrive in whole: choose it again' } as const;

/**
 * Reads a request up to its file, of which nothing is kept. A script sends the file as the whole body,
 * with its name and the fields in the query and the token in a header. A form sends the fields, the
 * token among them, before the file. `checkToken` throws for another token than that of the visitor.
 * Refuses (`validation_failed`) what is broken off, or has no file.
 */
export async function readUpload(request: Request, checkToken: (token: unknown) => void): Promise<Upload> {
  // A form without a file was read already.
  if (request.bodyUsed) throw invalid(no_file);
  const type = request.headers.get('content-type') ?? '';
  const source = request.body === null ? Readable.from([]) : Readable.fromWeb(request.body);
  const upload = type.startsWith('multipart/form-data') ? await readForm(source, type) : readWhole(request, source);
  try {
    checkToken(upload.fields.get('form_token'));
  } catch (error) {
    source.destroy();
    throw error;
  }
  if (upload.name !== '') return upload;
  await drain(source);
  throw invalid(no_file);
}

/** So many bytes are sent to see what a file is: those that a preview reads, and the record in which they end. */
export const previewed_bytes_max = 5 * 1024 * 1024;

/** Passes the bytes of a file on, and notes the SHA-256, in hex, of so many of them as were sent to be seen. */
export async function* noteBeginning(
  bytes: AsyncIterable<Uint8Array>,
  note: (sha256: string) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  let left = previewed_bytes_max;
  for await (const piece of bytes) {
    if (left > 0) {
      hash.update(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) note(hash.digest('hex'));
    }
    yield piece;
  }
  if (left > 0) note(hash.digest('hex'));
}

function readWhole({ url, headers }: Request, source: Readable): Upload {
  const fields = new Map(new URL(url).searchParams);
  fields.set('form_token', headers.get('x-form-token') ?? '');
  return { name: fields.get('name') ?? '', fields, bytes: bytesOf(source, source) };
}

function readForm(source: Readable, type: string): Promise<Upload> {
  const { promise, resolve, reject } = Promise.withResolvers<Upload>();
  const fields = new Map<string, string>();
  const form = parserOf(type);
  let file: Readable | null = null;
  const fail = (): void => {
    const error = invalid(broken_off);
    file?.destroy(error);
    reject(error);
  };
  form.on('field', (name, value) => fields.set(name, value));
  form.on('file', (_field, stream, name) => {
    file = stream;
    stream.on('error', reject);
    resolve({ name: name ?? '', fields, bytes: bytesOf(stream, source) });
  });
  form.on('finish', () => resolve({ name: '', fields, bytes: bytesOf(source, source) }));
  form.on('error', fail);
  source.on('error', fail);
  source.on('close', () => {
    if (!source.readableEnded) fail();
  });
  source.pipe(form);
  return promise;
}

function parserOf(type: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: { fields: fields_max, fieldSize: field_bytes_max, files: 1, parts: fields_max + 1 },
    });
  } catch {
    // The type names no boundary.
    throw invalid(broken_off);
  }
}

/** The pieces of the file. What nobody wants to read is still received, so that the answer is read. */
async function* bytesOf(file: Readable, source: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const piece of file.iterator({ destroyOnReturn: false })) yield piece as Uint8Array;
  } finally {
    if (!file.readableEnded && !file.destroyed) file.resume();
    await drain(source);
  }
}

async function drain(source: Readable): Promise<void> {
  if (source.readableEnded || source.destroyed) return;
  source.resume();
  await new Promise<void>((resolve) => source.once('close', resolve));
}
