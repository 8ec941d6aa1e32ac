import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { FileProblem, type FileStatement } from '../../src/index.ts';
import { acceptStatement, statements_max } from '../../src/statements/accept-statement-item.ts';

function statement(number: number): FileStatement {
  return {
    kind: 'statement',
    ordinal: number + 1,
    offset: 100 * number,
    number,
    account_number: '1000000001',
    currency: 'USD',
    reference: null,
    as_of: '2026-05-18',
    opening_balance: money(0),
    closing_balance: money(0),
  };
}

describe('a file of statements', () => {
  test('has at most as many as can be placed in memory, and is refused with the place of the next one', () => {
    assert.equal(acceptStatement(statement(statements_max)).number, statements_max);
    assert.throws(
      () => acceptStatement(statement(statements_max + 1)),
      (error) =>
        error instanceof FileProblem &&
        error.status === 'refused' &&
        error.code === 'too_many_statements' &&
        error.offset === 100 * (statements_max + 1),
    );
  });
});
