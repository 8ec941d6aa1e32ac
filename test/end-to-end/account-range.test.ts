import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardNumberAt, issueCard } from '@tallystick/cards';
import { makeCard, makeOwner } from '@tallystick/harness';
import { fixedClock, Refusal } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { database_names, migratedDatabase, test_keys } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';

const noon_ms = Date.UTC(2026, 4, 20, 12);

const account_range = '545454545454';
/** The range has a thousand numbers. */
const free = 10;

describe('an account range that is nearly used up', () => {
  for (const name of database_names)
    it(`gives each of its last numbers once, also to two processes, and then refuses, on ${name}`, async (t) => {
      const { card_vault: vault, random, audit_mac } = createVault(parseKeyRing(test_keys));
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const open = async (): Promise<Persistence> => {
        const clock = fixedClock(noon_ms);
        const persistence = await mikroOrmPersistence({ database_url: database.database_url, clock, audit_mac });
        t.after(() => persistence.close());
        return persistence;
      };
      const here = await open();
      await here.migrate();
      const other = await open();
      const run: Persistence['unitOfWork']['run'] = (work) => here.unitOfWork.run(work);
      const [company_id, rcn_id] = await run(async (tx) => {
        const owner = await makeOwner(tx);
        const real_card = await tx.real_cards.insert({
          company_id: owner.company_id,
          alias: 'Long range',
          billing_currency: 'USD',
          account_range,
          velocity_enabled: true,
          network_data_names: null,
          is_default: false,
          created_at_ms: noon_ms,
        });
        for (let place = 0; place < 1_000 - free; place += 1) {
          // The free numbers are not side by side.
          const pan = cardNumberAt(account_range, (place * 7) % 1_000);
          await makeCard(tx, { ...owner, rcn_id: real_card.id }, { last4: pan.last4 }, vault.seal(pan));
        }
        return [owner.company_id, real_card.id];
      });
      const call = { company_id, actor: 'test', request_id: null, now_ms: noon_ms };
      const issue = (unitOfWork: typeof other.unitOfWork) =>
        unitOfWork.run((tx) => issueCard(tx, { vault, random }, call, { total_card_amount: 5_000, rcn_id }));
      const asked = Array.from({ length: free + 6 }, (_, at) =>
        issue(at % 2 === 0 ? other.unitOfWork : here.unitOfWork),
      );
      const results = await Promise.allSettled(asked);
      const issued = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.card.id] : []));
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      assert.deepEqual([issued.length, refused.length], [free, 6]);
      for (const error of refused) {
        assert(error instanceof Refusal, String(error));
        assert.equal(error.code, 'account_range_used_up');
      }
      const numbers = await run((tx) => tx.cards.numbers(issued));
      const given = [...numbers.values()].map(({ number_sealed }) => vault.open(number_sealed).reveal());
      const expected = Array.from({ length: free }, (_, at) => {
        return cardNumberAt(account_range, ((1_000 - free + at) * 7) % 1_000).reveal();
      });
      assert.deepEqual(given.toSorted(), expected.toSorted());
      assert.equal(await run((tx) => tx.real_cards.countIssued(account_range)), 1_000);
    });
});
