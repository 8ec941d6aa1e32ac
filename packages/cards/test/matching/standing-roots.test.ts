import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { EarlierClearings } from '../../src/matching/earlier-clearings.ts';
import { matchClearing } from '../../src/matching/match-clearing.ts';
import { StandingRoots } from '../../src/matching/standing-roots.ts';
import { asRoot } from '../../src/records/new-authorization.ts';
import { cardOf, NetworkWorld } from '../network-world.ts';

const world = new NetworkWorld('2026-11-21T12:00:00Z');
const card = cardOf();

const amounts = fc.constantFrom(100, 500, 510, 900);
const shared = {
  merchant_id: fc.constantFrom('M', 'N', null),
  net_reference_number: fc.constantFrom('MCC1000011121', 'MCC1000021121', 'MCC100001    ', null),
  approval_code: fc.constantFrom('A00001', 'A00002', 'A00003', null),
};
const roots = fc.array(
  fc.record({
    ...shared,
    billing_amount: amounts,
    authorized: amounts,
    status: fc.constantFrom('open', 'cleared', 'partially_cleared', 'expired', 'reversed'),
    days: fc.constantFrom(0, 10, 40),
  }),
  { minLength: 17, maxLength: 40 },
);
const clearings = fc.record({
  ...shared,
  billing_amount: amounts,
  clearing_type: fc.constantFrom('DEBIT', 'CREDIT'),
  cycle: fc.constantFrom('first_presentment', 'first_presentment', 'reversal', 'chargeback'),
});

/** Finds all authorizations by any key. */
class AllRoots extends StandingRoots {
  override withCode = () => this.all;
  override withReference = () => this.all;
  override withAmount = () => this.all;
}

describe('authorizations that clearings are settled against', () => {
  test('a clearing is compared with those that share a reference, the code, or merchant and amount', () => {
    const purchases = Array.from({ length: 1_000 }, (_, at) =>
      asRoot(world.message({ merchant_id: 'M', billing_amount: 1_000 + at }), card, at + 1),
    );
    const standing = new StandingRoots(purchases);
    const message = world.clearingMessage({ merchant_id: 'M', billing_amount: 1_500 });
    assert.deepEqual(
      standing.withAmount(message).map(({ id }) => id),
      [501],
    );
  });

  test('the match among these is the match among all', () => {
    fc.assert(
      fc.property(roots, clearings, (drawn, { approval_code, ...fields }) => {
        const all = drawn.map(({ authorized, status, days, approval_code: code, ...root }, at) => ({
          ...asRoot(world.message(root), card, at + 1),
          approval_code: code,
          authorized: money(authorized),
          status: status as 'open',
          transaction_date_time_ms: world.now_ms - days * 86_400_000,
        }));
        const message = {
          ...world.clearingMessage(fields as Parameters<NetworkWorld['clearingMessage']>[0]),
          approval_code,
        };
        const among = (authorizations: StandingRoots) =>
          matchClearing({ message, card, authorizations, clearings: new EarlierClearings() });
        const standing = new StandingRoots(all.map((root) => ({ ...root, status: 'open' as const })));
        standing.withAmount(message);
        for (const root of all) standing.put(root);
        assert.deepEqual(among(standing), among(new AllRoots(all)));
      }),
      propertyParameters(),
    );
  });
});
