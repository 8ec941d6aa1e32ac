import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCompany } from '@tallystick/access';
import {
  createNetwork,
  createRealCard,
  explainAuthorization,
  issueCard,
  normalizeAuthorization,
  revealNumbers,
  updateCard,
} from '@tallystick/cards';
import { fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { database_names, migratedDatabase, type ScratchDatabase, testAuditMac } from '@tallystick/test-support';
import { createKeyRingText, createVault, parseKeyRing } from '@tallystick/vault';

const clock = fixedClock('2030-03-15T10:00:00Z');
const totals = [900, 300, 800, 200, 1_000, 250, 700, 350];
const requests = 120;

for (const name of database_names) {
  describe(`changes of a card that race its decisions on ${name}`, () => {
    let database: ScratchDatabase;
    let here: Awaited<ReturnType<typeof mikroOrmPersistence>>;
    let there: typeof here;

    before(async () => {
      database = await migratedDatabase(name);
      const open = () => mikroOrmPersistence({ audit_mac: testAuditMac, database_url: database.database_url, clock });
      here = await open();
      there = await open();
    });
    after(async () => {
      await here?.close();
      await there?.close();
      await database?.dispose();
    });

    it('leave no authorization whose versions do not reproduce its answer', async () => {
      const { card_vault: vault, random, sealer, sha256 } = createVault(parseKeyRing(createKeyRingText()));
      const operator = { actor: 'command', request_id: null, now_ms: clock.nowMs() };
      const { call, id, card_number } = await here.unitOfWork.run(async (tx) => {
        const company = await createCompany(tx, operator, { name: 'Acme', customer_number: '1' });
        const call = { ...operator, company_id: company.id };
        await createRealCard(tx, call, { alias: 'Travel', billing_currency: 'USD', account_range: '555555' });
        const { card } = await issueCard(tx, { vault, random }, call, { total_card_amount: 1_000_000 });
        const revealed = await revealNumbers(tx, { vault }, call, [card]);
        return { call, id: card.id, card_number: revealed.get(card.id)!.card_number };
      });
      const networks = [here, there].map(({ ledger }) => createNetwork({ ledger, vault, random, sealer, sha256 }));
      const authorize = async (at: number) => {
        const input = {
          card_number,
          message_type_indicator: '0100',
          trace_id: `T${at}`,
          system_trace_audit_number: String(at),
          transaction_date_time: '2030-03-15T10:00:00Z',
          billing_amount: 100 + ((at * 97) % 900),
          billing_currency: 'USD',
          merchant_amount: 1,
          merchant_currency: 'USD',
          mcc: '5812',
        };
        await networks[at % 2]!.authorize(normalizeAuthorization(input, vault, null));
      };
      const change = async () => {
        for (const per_transaction_max of totals) {
          await there.unitOfWork.run((tx) => updateCard(tx, call, id, { per_transaction_max }));
        }
      };
      const decide = async (first: number) => {
        for (let at = first; at < requests; at += 4) await authorize(at);
      };
      await Promise.all([change(), ...[0, 1, 2, 3].map(decide)]);
      for (const network of networks) await network.drain();

      const versions = new Set<number>();
      await here.unitOfWork.read(async (tx) => {
        const pages = [await tx.cards.authorizations(call.company_id, id, { limit: 100 })];
        pages.push(await tx.cards.authorizations(call.company_id, id, { limit: 100, after: pages[0]!.next! }));
        const rows = pages.flatMap(({ items }) => items);
        assert.equal(rows.length, requests);
        for (const row of rows) {
          const explained = await explainAuthorization(tx, call, id, row.id);
          assert.equal(explained.is_reproduced, true, JSON.stringify(explained.table));
          versions.add(explained.versions!.controls);
        }
      });
      assert.ok(versions.size > 1, 'no change came between the decisions');
    });
  });
}
