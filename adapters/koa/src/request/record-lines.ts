import { type RecordLine, record_batch_max } from '@tallystick/accounts';
import { type GiveWay, maskCardNumbers } from '@tallystick/kernel';
import { line_bytes_max } from '@tallystick/operations';
import { HttpProblem } from '../answer/error-answer.ts';
import { parseJson } from './json.ts';
import { createLineSplitter, type Line } from './lines.ts';

/** The bytes of the lines of a batch, unless one line has more. */
const batch_bytes_max = 1024 * 1024;

/**
 * The lines of a body in batches. A batch is bounded in lines and in bytes, so that the memory does
 * not depend on the length of the body. Of a line that is too long, only its number is kept. Empty
 * lines are counted in the numbers of the lines, and left out.
 */
export async function* readRecordLines(
  bytes: AsyncIterable<Uint8Array>,
  giveWay: GiveWay,
): AsyncGenerator<readonly RecordLine[], void, undefined> {
  let batch: RecordLine[] = [];
  let batch_bytes = 0;
  for await (const { line, content } of splitLines(bytes)) {
    await giveWay();
    const read = lineOf(line, content);
    if (read === null) continue;
    batch.push(read);
    batch_bytes += content?.length ?? 0;
    if (batch.length < record_batch_max && batch_bytes < batch_bytes_max) continue;
    yield batch;
    batch = [];
    batch_bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function* splitLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  const splitter = createLineSplitter(line_bytes_max);
  for await (const piece of bytes) yield* splitter.split(piece);
  const last = splitter.end();
  if (last !== null) yield last;
}

/** The value of a line; null for an empty one. */
function lineOf(line: number, content: Buffer | null): RecordLine | null {
  if (content === null) {
    return { line, problem: { path: '', message: `must have at most ${line_bytes_max} bytes` } };
  }
  if (content.length === 0) return null;
  try {
    return { line, value: parseJson(content) };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const [{ path, message } = { path: 'body', message: error.message.replace(/^the body /, '') }] = error.fields;
    return { line, problem: { path: path === 'body' ? '' : maskCardNumbers(path), message } };
  }
}
