import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evidenceOf } from '../../src/index.ts';
import { asRoot } from '../../src/records/new-authorization.ts';
import { cardOf, NetworkWorld } from '../network-world.ts';

const world = new NetworkWorld('2026-11-21T12:00:00Z');
const own = { merchant_id: 'M', approval_code: 'A00001', net_reference_number: 'MCCABC1231121' } as const;

const root = asRoot(
  world.message({ ...own, billing_amount: 1_000, merchant_amount: 900, merchant_currency: 'EUR' }),
  cardOf(),
  1,
);

const evidence = (fields: Parameters<NetworkWorld['clearingMessage']>[0]) =>
  evidenceOf(world.clearingMessage(fields), root);

describe('what a clearing and an authorization have alike', () => {
  test('is the approval code, the merchant and the reference that both have', () => {
    const { approval_code, merchant_id, network_reference } = evidence(own);
    assert.deepEqual({ approval_code, merchant_id, net_reference_number: network_reference }, own);
    const other = evidence({ approval_code: 'A00002', merchant_id: 'N', net_reference_number: 'MCCABC1241121' });
    assert.deepEqual([other.approval_code, other.merchant_id, other.network_reference], [null, null, null]);
    const blank = evidence({});
    assert.deepEqual([blank.approval_code, blank.merchant_id, blank.network_reference], [null, null, null]);
  });

  test('of two references that differ elsewhere is the six characters that the network assigned', () => {
    for (const net_reference_number of ['MCCABC1231122', 'MCCABC123    ']) {
      assert.equal(evidence({ net_reference_number }).network_reference, 'ABC123');
    }
    const blank = { net_reference_number: '   ABC123    ' };
    assert.equal(evidenceOf(world.clearingMessage(blank), { ...root, ...blank }).network_reference, 'ABC123');
  });

  test('is shown with the merchant amounts of one currency, else with the billed amounts', () => {
    const amountsOf = (merchant_currency: string | null) => {
      const merchant = merchant_currency === null ? {} : { merchant_amount: 901, merchant_currency };
      const { cleared, authorized, currency } = evidence({ billing_amount: 1_001, ...merchant });
      return [cleared, authorized, currency];
    };
    assert.deepEqual(amountsOf('EUR'), [901, 900, 'EUR']);
    assert.deepEqual(amountsOf('GBP'), [1_001, 1_000, 'USD']);
    assert.deepEqual(amountsOf(null), [1_001, 1_000, 'USD']);
  });

  test('is shown with the date of the authorization and the days from it to the settlement', () => {
    const daysOf = (settlement_date: string) => {
      const { authorization_date, days } = evidence({ settlement_date });
      return [authorization_date, days];
    };
    assert.deepEqual(daysOf('2026-12-01'), ['2026-11-21', 10]);
    assert.deepEqual(daysOf('2026-11-20'), ['2026-11-21', -1]);
  });
});
