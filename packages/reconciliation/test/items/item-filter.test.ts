import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { item_filter_names, parseItemFilter } from '../../src/index.ts';

const now_ms = Date.parse('2030-03-15T23:59:59Z');

const read = (filters: Readonly<Record<string, string>>) => parseItemFilter(Object.entries(filters), now_ms);

function refusalOf(filters: Readonly<Record<string, string>>): Refusal {
  try {
    read(filters);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error;
  }
  return assert.fail(`${JSON.stringify(filters)} was accepted`);
}

describe('the filters of items', () => {
  it('are values, or ranges of which either end may be empty', () => {
    assert.deepEqual(
      read({
        status: 'break',
        class: 'over',
        kind: 'amount',
        vcn_id: '17',
        currency: 'EUR',
        settlement_date: '[2030-03-01,]',
      }),
      {
        status: 'break',
        class: 'over',
        kind: 'amount',
        vcn_id: 17,
        currency: 'EUR',
        settlement_date: { from: '2030-03-01' },
      },
    );
    assert.deepEqual(read({ settlement_date: '2030-03-01' }), {
      settlement_date: { from: '2030-03-01', to: '2030-03-01' },
    });
    assert.deepEqual(read({ settlement_date: '[,2030-03-01]' }), { settlement_date: { to: '2030-03-01' } });
    assert.deepEqual(read({}), {});
  });

  it('count the age from the due date to today', () => {
    assert.deepEqual(read({ age_days: '[4,7]' }), { due_date: { from: '2030-03-08', to: '2030-03-11' } });
    assert.deepEqual(read({ age_days: '0' }), {
      due_date: { from: '2030-03-15', to: '2030-03-15', with_later_breaks: true },
    });
    assert.deepEqual(read({ age_days: '[31,]' }), { due_date: { to: '2030-02-12' } });
    const young = read({ age_days: '[,1]' });
    assert.deepEqual(young, { due_date: { from: '2030-03-14', to: '2030-03-15', with_later_breaks: true } });
  });

  it('refuse every value that no item can have, and say what is right', () => {
    const bad: Readonly<Record<string, readonly string[]>> = {
      status: ['', 'Break', 'open', '[break,matched]'],
      class: ['', 'exakt'],
      kind: ['', 'late'],
      vcn_id: ['', '0', '-1', '1.5', '1e3', '[1,2]', '1'.repeat(16)],
      currency: ['', 'usd', 'US'],
      settlement_date: ['', '[,]', '[2030-02-30,]', '2030-2-1', '[2030-03-02,2030-03-01]', '[1,2,3]', 'today'],
      amount: ['', '[,]', '1.5', '[5,4]', '1e3', '9'.repeat(17)],
      reference: ['', ' ', 'x'.repeat(201)],
      merchant_name: ['', 'x'.repeat(201)],
      account_id: ['', 'x'.repeat(201)],
      booking_date: ['', '[,]', '2030-2-1', '[2030-03-02,2030-03-01]'],
      assignee: ['', ' ', 'x'.repeat(201)],
      age_days: ['', '[,]', '-1', '1.5', '[7,4]', '100000', 'old'],
    };
    assert.deepEqual(Object.keys(bad), [...item_filter_names]);
    for (const [name, texts] of Object.entries(bad)) {
      for (const text of texts) {
        const { code, fields } = refusalOf({ [name]: text });
        assert.deepEqual([code, fields.map(({ path }) => path)], ['invalid_query', [name]], `${name}=${text}`);
        assert.match(fields[0]!.message, /^(must|begins)/);
      }
    }
  });

  it('are refused together, with the nearest name of an unknown one', () => {
    const { fields } = refusalOf({ status: 'open', age_day: '1', age_days: 'x' });
    assert.deepEqual(
      fields.map(({ path }) => path),
      ['status', 'age_day', 'age_days'],
    );
    assert.match(fields[1]!.message, /did you mean age_days\?/);
  });
});
