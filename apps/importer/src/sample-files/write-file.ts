import { closeSync, openSync, writeSync } from 'node:fs';

const piece_length = 65_536;

/** Files with card numbers are for their owner only. */
const mode = 0o600;

/** Writes a line of JSON for each value, in constant memory. */
export function writeLines(path: string, values: Iterable<unknown>): void {
  writeFile(path, pieces(values));
}

function* pieces(values: Iterable<unknown>): Generator<Uint8Array> {
  let text = '';
  for (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < piece_length) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** Writes a new file, in constant memory. Throws an error if it exists. */
export function writeFile(path: string, content: Iterable<Uint8Array>): void {
  const file = openSync(path, 'wx', mode);
  try {
    for (const bytes of content) {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    }
  } finally {
    closeSync(file);
  }
}
