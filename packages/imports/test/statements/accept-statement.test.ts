import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportedLine } from '@tallystick/accounts';
import { reportedLine } from '@tallystick/harness';
import { amount_max, money } from '@tallystick/kernel';
import { FileProblem, type FileStatement } from '../../src/index.ts';
import { acceptLine, acceptStatement } from '../../src/statements/accept-statement-item.ts';

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
  test('has at most 10,000, and is refused with the place of the next one', () => {
    assert.equal(acceptStatement(statement(10_000)).number, 10_000);
    assert.throws(
      () => acceptStatement(statement(10_001)),
      (error) =>
        error instanceof FileProblem &&
        error.status === 'refused' &&
        error.code === 'too_many_statements' &&
        error.offset === 100 * 10_001,
    );
  });
});

describe('a line of a statement', () => {
  const accept = (changes: Partial<ReportedLine>) =>
    acceptLine({
      kind: 'line',
      ordinal: 9,
      offset: 700,
      statement_number: 2,
      place: 3,
      line: { ...reportedLine(1), ...changes },
    });

  test('that cannot be stored is bad, with its place, the value and what would be right', () => {
    const cases: readonly (readonly [Partial<ReportedLine>, what: string, right: string, shown: string])[] = [
      [{ bank_reference: '' }, 'bank reference', '1 to 255 printable characters', '""'],
      [
        { booking_date: '2026-02-30' },
        'booking date',
        'a date that exists, as YYYY-MM-DD, from 1970 on',
        '"2026-02-30"',
      ],
      [{ value_date: '1969-12-31' }, 'value date', 'a date that exists, as YYYY-MM-DD, from 1970 on', '"1969-12-31"'],
      [{ amount: money(-amount_max - 1) }, 'amount', `within ±${amount_max} minor units`, '-(many digits)'],
      [{ bai_code: '82' }, 'BAI code', 'three digits', '"82"'],
      [{ acquirer_reference: '12' }, 'acquirer reference', '17 or 23 digits', '"12"'],
    ];
    for (const [changes, what, right, shown] of cases) {
      const bad = accept(changes);
      assert.deepEqual(bad.kind === 'bad' && [bad.code, bad.ordinal, bad.offset, bad.reason], [
        'line_malformed',
        9,
        700,
        `the ${what} of line 3 of statement 2 must be ${right}, not ${shown}`,
      ]);
    }
  });

  test('may have no references, and an amount at the bound', () => {
    const line = { bank_reference: null, acquirer_reference: null, amount: money(-amount_max) };
    assert.equal(accept(line).kind, 'line');
  });
});
