import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { look } from '@tallystick/harness';
import { database_names } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { migrate } from '../src/connection/migrate.ts';
import { authorizationMessage, openLedger, run, seededDatabase } from './ledger-fixture.ts';

/** A clearing as a server without migration 0019 records it. */
const recordClearing = (id: string, match_rule: number, settlement_date: string) => `insert into clearings (company_id,
    card_id, network_financial_transaction_id, cycle, clearing_type, partial, billing_amount, billing_currency,
    settlement_date, recorded_at_ms, match_rule, review, class, window_start_ms, cleared_effect, hold_effect, uses, details)
  values (1, 1, '${id}', 'first_presentment', 'DEBIT', false, 10, 'USD', '${settlement_date}', 0, ${match_rule}, false,
    'force_post', 0, 10, 0, 1, '{}')`;

for (const name of database_names) {
  describe(`the count of provisional clearings, on ${name}`, () => {
    it('has those from before the migration, and those of an older server after it', async () => {
      const database = await seededDatabase(name, 2, {}, '0018-mail-lanes');
      const connection = await connect({ database_url: database.database_url });
      await run(connection, recordClearing('F1', 8, '2026-05-02'));
      await run(connection, recordClearing('F2', 1, '2026-05-03'));
      await migrate(connection);
      await run(connection, recordClearing('F3', 8, '2026-05-01'));
      const opened = await openLedger(database.database_url);
      const counted = async () => {
        const { cards } = await opened.ledger.pass([authorizationMessage(1), authorizationMessage(2)], look);
        const byId = cards.toSorted((a, b) => a.id - b.id);
        return byId.map(({ provisional_clearings, settled_through }) => [provisional_clearings, settled_through]);
      };
      assert.deepEqual(await counted(), [
        [2, '2026-05-03'],
        [0, null],
      ]);
      await run(connection, recordClearing('F4', 8, '2026-05-04'));
      assert.deepEqual((await counted())[0], [3, '2026-05-04']);
      await opened.close();
      await connection.close();
      await database.dispose();
    });
  });
}
