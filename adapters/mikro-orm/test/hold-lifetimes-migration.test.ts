import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeRows, scratchDatabases } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { migrate } from '../src/connection/migrate.ts';
import { run } from './ledger-fixture.ts';

const decided_ms = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
const ends_ms = Date.UTC(2026, 11, 21, 0, 0, 1);

interface Row {
  readonly card_id: number;
  readonly status: string;
  readonly held: number;
  readonly decided_at_ms: number;
  readonly hold_end_ms: number | null;
}

const row: Row = { card_id: 1, status: 'open', held: 5, decided_at_ms: decided_ms, hold_end_ms: null };

/** Each row, and the end of its hold after the migration. */
const rows: readonly (readonly [Row, number | null])[] = [
  [row, ends_ms],
  [{ ...row, status: 'partially_cleared', decided_at_ms: decided_ms + 1 }, ends_ms + 86_400_000],
  [{ ...row, card_id: 2, decided_at_ms: decided_ms + 1 }, ends_ms + 86_400_000],
  [{ ...row, card_id: 2, hold_end_ms: ends_ms + 5 }, ends_ms + 5],
  [{ ...row, card_id: 3, status: 'cleared', held: 0 }, null],
  [{ ...row, card_id: 3, held: 0 }, null],
  [{ ...row, card_id: 4, status: 'expired', held: 0, hold_end_ms: 7 }, 7],
];

/** The first end of each card after the migration. Card 2 had one before it. */
const next_ends = [ends_ms, ends_ms + 5, null, null];

test('open holds from before holds had an end stop 30 days after their decision', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect(database);
      try {
        await connection.orm.migrator.up({ to: '0008-mails-page' });
        const change = (sql: string) => changeRows(database, sql);
        const yes = database.name === 'sqlite' ? '1' : 'true';
        const bytes = (id: number) => (database.name === 'sqlite' ? `x'0${id}'` : `'\\x0${id}'`);
        await change(`insert into companies (id, name, customer_number, created_at_ms) values (1, 'Acme', '1', 0)`);
        await change(
          `insert into real_cards (id, company_id, alias, billing_currency, account_range, velocity_enabled, is_default, created_at_ms)
             values (1, 1, 'Travel', 'USD', '555555', ${yes}, ${yes}, 0)`,
        );
        for (const [at] of next_ends.entries()) {
          await change(
            `insert into virtual_cards (id, company_id, rcn_id, template_id, status, last4, expiry, number_index, number_sealed,
               number_key_id, created_at_ms, per_transaction_min, per_transaction_max, per_transaction_max_defaulted,
               total_card_amount, recurring, valid_starting_on, valid_ending_on, window_start_ms, held, cleared, uses, next_hold_end_ms)
             values (${at + 1}, 1, 1, 1, 'Approved', '0000', '2028-05', ${bytes(at + 1)}, ${bytes(1)}, 'k', 0, 0, 1000, ${yes},
               1000, 'Continuous', '2026-01-01', '2028-05-31', 0, 0, 0, 0, ${at === 1 ? ends_ms + 5 : 'null'})`,
          );
        }
        for (const [at, [{ card_id, status, held, decided_at_ms, hold_end_ms }]] of rows.entries()) {
          await change(
            `insert into authorizations (id, company_id, card_id, root_id, message_type, incremental, trace_id,
               system_trace_audit_number, transaction_date_time_ms, decided_at_ms, billing_amount, merchant_amount,
               merchant_currency, mcc, window_start_ms, status, authorized, held, cleared, uses, hold_end_ms, details)
             values (${at + 1}, 1, ${card_id}, ${at + 1}, '0100', ${yes === '1' ? 0 : false}, 'T${at}', '1', 0, ${decided_at_ms}, 5, 5, 'USD',
               '5812', 0, '${status}', ${held}, ${held}, 0, 1, ${hold_end_ms}, '{}')`,
          );
        }
        await migrate(connection);
        const ends = await run(connection, 'select hold_end_ms from authorizations order by id');
        assert.deepEqual(
          ends.map(({ hold_end_ms }) => (hold_end_ms === null ? null : Number(hold_end_ms))),
          rows.map(([, end]) => end),
        );
        const next = await run(connection, 'select next_hold_end_ms from virtual_cards order by id');
        assert.deepEqual(
          next.map(({ next_hold_end_ms }) => (next_hold_end_ms === null ? null : Number(next_hold_end_ms))),
          next_ends,
        );
      } finally {
        await connection.close();
      }
    });
  }
});
