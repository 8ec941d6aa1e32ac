import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClearingKeys, clearingsByReference } from '../src/ledger/postgres-ledger-statements.ts';

test('clearings of one card that share a key read the rows with it once', () => {
  const keys = (transaction_id: string, vcn_id: number): ClearingKeys => ({
    transaction_id,
    vcn_id,
    number_index: null,
    referring: false,
    approval_code: 'ABCDEF',
  });
  const { values } = clearingsByReference([keys('1', 17), keys('2', 17), keys('3', 18)]);
  const codes = (JSON.parse(String(values?.[0])) as readonly ClearingKeys[]).map(
    ({ approval_code }) => approval_code ?? null,
  );
  assert.deepEqual(codes, ['ABCDEF', null, 'ABCDEF']);
});
