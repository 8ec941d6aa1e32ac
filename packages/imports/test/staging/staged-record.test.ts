import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { openRecords, recordText, type StagedRecord, sealRecords } from '../../src/staging/staged-record.ts';

const sealer = {
  seal: (_purpose: string, clear: Uint8Array) => clear,
  open: (_purpose: string, sealed: Uint8Array) => sealed,
  isCurrent: () => true,
};

const place = { ordinal: fc.nat(), offset: fc.nat() };
const text = fc.string({ unit: 'binary' }).map((any) => any.toWellFormed());
const raw = fc.uint8Array({ maxLength: 40 });

const records: fc.Arbitrary<StagedRecord> = fc.oneof(
  fc.record({
    kind: fc.constant('clearing' as const),
    ...place,
    input: fc.record({
      vcn_id: fc.nat(),
      network_financial_transaction_id: text,
      billing_amount: fc.nat(),
      billing_currency: text,
      clearing_type: text,
      settlement_date: text,
      partial: fc.boolean(),
    }),
    synthetic_id: fc.boolean(),
    last4: fc.option(text),
  }),
  fc.record({ kind: fc.constant('bad' as const), ...place, code: text, reason: text, raw }),
  fc.record({ kind: fc.constant('other' as const), ...place, type: text, raw }),
  fc.record({ kind: fc.constant('other' as const), ...place, type: text }),
);

test('the records that are opened are those that were sealed', () => {
  fc.assert(
    fc.property(fc.array(records), (several) => {
      const opened = openRecords(sealer, sealRecords(sealer, several.map(recordText)));
      assert.deepEqual(JSON.stringify(opened), JSON.stringify(several));
      for (const [at, record] of opened.entries()) {
        if ('raw' in record) assert.deepEqual(new Uint8Array(record.raw!), (several[at] as { raw: Uint8Array }).raw);
      }
    }),
    propertyParameters(),
  );
});
