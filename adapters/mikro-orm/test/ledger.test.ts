import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Fold, no_changes } from '@tallystick/cards';
import { spend } from '@tallystick/harness';
import { Fault, money } from '@tallystick/kernel';
import { database_names, type ScratchDatabase } from '@tallystick/test-support';
import { payloadOf } from '../src/schema/records/stored-payload.ts';
import {
  authorizationMessage,
  indexOf,
  noon_ms,
  type OpenLedger,
  openLedger,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

for (const name of database_names) {
  describe(`the rows that a pass writes on ${name}`, () => {
    let database: ScratchDatabase;
    let open: OpenLedger;

    before(async () => {
      database = await seededDatabase(name, 16);
      open = await openLedger(database.database_url);
    });
    after(async () => {
      await open?.close();
      await database?.dispose();
    });

    const rows = async (sql: string) => await run(open.connection, sql);

    it('are all rolled back when a column of one must not be null, which is a fault', async () => {
      const first = authorizationMessage(15, { trace_id: 'T-half' });
      const broken: Fold<null> = (state) => {
        const { changes } = spend([first])(state);
        const [row] = changes.authorizations_inserted;
        assert(row);
        // The trace id is `not null` in the table.
        const bad = { ...row, id: row.id + 1_000_000, trace_id: null as unknown as string };
        return { changes: { ...changes, authorizations_inserted: [row, bad] }, result: null };
      };
      await assert.rejects(open.ledger.pass([first], broken), (error) => {
        assert(error instanceof Fault);
        assert.equal(error.retryable, false);
        return true;
      });
      const counted = await rows(
        `select (select count(*) from tallystick_authorizations where card_id = 15) as authorizations, held, uses from tallystick_virtual_cards where id = 15`,
      );
      assert.deepEqual(counted, [{ authorizations: 0, held: 0, uses: 0 }]);
    });

    it('are committed in the turn of the fold only where passes block the process', async () => {
      let is_next_turn = false;
      await open.ledger.pass([], () => {
        setImmediate(() => {
          is_next_turn = true;
        });
        return { changes: no_changes, result: null };
      });
      assert.equal(open.ledger.blocks_process ?? false, !is_next_turn);
    });

    it('cannot be of a message that is recorded already, by constraint', async () => {
      const message = authorizationMessage(14, { trace_id: 'T|twice\\' });
      await open.ledger.pass([message], spend([message]));
      const again: Fold<null> = (state) => {
        const { changes } = spend([message])({ ...state, authorizations: [] });
        assert.equal(changes.authorizations_inserted.length, 1);
        return { changes, result: null };
      };
      await assert.rejects(open.ledger.pass([message], again), Fault);
      const other = authorizationMessage(14, { trace_id: 'T|twice', system_trace_audit_number: '\\000001' });
      assert.deepEqual(await open.ledger.pass([other], spend([other])), [true]);
    });

    it('contain a message for an unknown number without the number', async () => {
      await open.ledger.pass([], () => ({
        changes: {
          ...no_changes,
          unknown_numbers: [
            {
              number_index: indexOf(77),
              last4: '1234',
              message: { mcc: '5812', merchant_name: 'é"\\' },
              recorded_at_ms: noon_ms,
              request_id: null,
            },
          ],
        },
        result: null,
      }));
      const [kept] = await rows(
        'select number_index, last4, message, recorded_at_ms, request_id from tallystick_unknown_number_messages',
      );
      assert.deepEqual(
        { ...kept, number_index: Buffer.from((kept?.number_index ?? []) as Uint8Array).toString('hex') },
        {
          number_index: Buffer.from(indexOf(77)).toString('hex'),
          last4: '1234',
          message: '{"mcc":"5812","merchant_name":"é\\"\\\\"}',
          recorded_at_ms: noon_ms,
          request_id: null,
        },
      );
    });

    it('contain an event with the columns that its filters search', async () => {
      const message = authorizationMessage(16, { trace_id: 'T-event', mcc: '4121', billing_amount: money(31) });
      await open.ledger.pass([message], spend([message]));
      const [event] = await rows(
        `select company_id, event_type, created_at_ms, vcn_id, billing_amount, mcc, merchant_name, request_id, payload, previous
           from tallystick_events where vcn_id = 16`,
      );
      const { payload, ...columns } = event ?? assert.fail();
      assert.deepEqual(columns, {
        company_id: 1,
        event_type: 'virtualcard.realtime.auths',
        created_at_ms: noon_ms,
        vcn_id: 16,
        billing_amount: 31,
        mcc: '4121',
        merchant_name: null,
        request_id: 'request-1',
        previous: null,
      });
      assert.equal(payloadOf(String(payload)).billing_amount, 31);
    });
  });
}
