import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { isMccAllowed } from '../src/index.ts';

const mcc = fc.stringMatching(/^[0-9]{4}$/);

test('a DENY template allows exactly what the ALLOW template of the same codes denies', () => {
  fc.assert(
    fc.property(fc.uniqueArray(mcc), mcc, (mcc_list, purchase) => {
      const allowed = isMccAllowed({ mcc_rule: 'ALLOW', mcc_list }, purchase);
      assert.equal(allowed, mcc_list.includes(purchase));
      assert.equal(isMccAllowed({ mcc_rule: 'DENY', mcc_list }, purchase), !allowed);
    }),
    propertyParameters(),
  );
});

test('a DENY template without codes allows every MCC', () => {
  fc.assert(
    fc.property(mcc, (purchase) => isMccAllowed({ mcc_rule: 'DENY', mcc_list: [] }, purchase)),
    propertyParameters(),
  );
});
