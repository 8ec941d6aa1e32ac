import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccountBalance, availableOf, balanceMaxOf, currentBalance, movedBalance } from '@tallystick/accounts';
import { money, showDecimal, sum_max } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';

/** The amounts of Open Banking (OBActiveOrHistoricCurrencyAndAmount). */
const official_pattern = /^\d{1,13}$|^\d{1,13}\.\d{1,5}$/;

/** Currencies with 0, 2 and 3 decimals. */
const currency = fc.constantFrom('JPY', 'USD', 'GBP', 'KWD');
const amount = fc.oneof(
  fc.integer({ min: 0, max: sum_max }),
  fc.constantFrom(10 ** 13 - 1, 10 ** 13, sum_max - 1, sum_max),
);

const isShown = (balance: number, of: string) => official_pattern.test(showDecimal(Math.abs(balance), of));

function balanceOf(booked: number, available: number, credit_line: number | null): AccountBalance {
  return {
    account_id: 1,
    booked: money(booked),
    available: money(available),
    credit_line: credit_line === null ? null : money(credit_line),
    as_of_ms: 5,
  };
}

describe('a balance', () => {
  it('is accepted exactly when the official pattern can show it', () => {
    fc.assert(
      fc.property(currency, amount, (of, value) => {
        assert.equal(value <= balanceMaxOf(of), isShown(value, of), showDecimal(value, of));
      }),
      propertyParameters({ short: 500, full: 2_000 }),
    );
  });

  it('can be shown with its credit line, and after any movement', () => {
    const sign = fc.constantFrom(1, -1);
    fc.assert(
      fc.property(currency, amount, amount, sign, sign, (of, size, moved, side, way) => {
        const start = side * Math.min(size, balanceMaxOf(of));
        const balance = balanceOf(start, start, 10 ** 12);
        assert.ok(isShown(availableOf(balance, of), of));
        const after = movedBalance(balance, way * moved, 9, of);
        assert.ok(isShown(after.booked, of) && isShown(after.available, of));
        const exact = start + way * moved;
        if (Math.abs(exact) <= balanceMaxOf(of)) assert.deepEqual([after.booked, after.available], [exact, exact]);
        assert.equal(Math.sign(after.booked - exact), Math.abs(exact) > balanceMaxOf(of) ? -Math.sign(exact) : 0);
      }),
      propertyParameters({ short: 500, full: 2_000 }),
    );
  });

  it('of a statement is dated with a year of four digits', () => {
    const of = (as_of: string) => {
      const last_statement = { as_of, balance: money(1) };
      return new Date(currentBalance({ id: 1, created_at_ms: 0, last_statement }, null).as_of_ms).toISOString();
    };
    assert.equal(of('2026-05-20'), '2026-05-21T00:00:00.000Z');
    assert.equal(of('9999-12-30'), '9999-12-31T00:00:00.000Z');
    assert.equal(of('9999-12-31'), '9999-12-31T23:59:59.999Z');
  });
});
