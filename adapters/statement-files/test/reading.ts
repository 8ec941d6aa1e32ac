import assert from 'node:assert/strict';
import { readItems, readProblem } from '@tallystick/harness';
import type { ClearingFormat, FileItem, FileLine, FileProblem, FileStatement } from '@tallystick/imports';

/** The items of a file that arrives at once. */
export async function itemsOf(format: ClearingFormat, bytes: Uint8Array): Promise<readonly FileItem[]> {
  return await readItems(format, bytes, [1_000_000]);
}

/**
 * Asserts that the file is not accepted, by the status and code of its problem, in chunks of any
 * size.
 */
export async function assertProblem(format: ClearingFormat, bytes: Uint8Array, expected: string): Promise<FileProblem> {
  const problem = await readProblem(format, bytes);
  for (const lengths of [[1], [7, 1_000], [1_000_000]]) {
    const { status, code, message, offset, records } = await readProblem(format, bytes, lengths);
    assert.equal(`${status}: ${code}`, expected, message);
    assert.deepEqual([message, offset, records], [problem.message, problem.offset, problem.records]);
    assert.ok(offset !== null && offset <= bytes.length);
  }
  return problem;
}

/** The statements with what is stated after their lines. */
export function statementsIn(items: readonly FileItem[]): readonly FileStatement[] {
  const ends = new Map(items.flatMap((item) => (item.kind === 'statement_end' ? [[item.statement_number, item]] : [])));
  return items
    .filter((item) => item.kind === 'statement')
    .map((statement) => {
      const { closing_balance, as_of, currency, problem } = ends.get(statement.number) ?? {};
      const first = statement.problem ?? problem;
      return {
        ...statement,
        closing_balance: closing_balance ?? statement.closing_balance,
        as_of: as_of ?? statement.as_of,
        currency: currency ?? statement.currency,
        ...(first === undefined ? {} : { problem: first }),
      };
    });
}

export function linesIn(items: readonly FileItem[]): readonly FileLine[] {
  return items.filter((item) => item.kind === 'line');
}
