import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Authorization, Clearing, ClearingMessage, Fold, LedgerState } from '@tallystick/cards';
import { Fault, money } from '@tallystick/kernel';
import { database_names, type ScratchDatabase } from '@tallystick/test-support';
import {
  authorizationMessage,
  clearingMessage,
  indexOf,
  no_changes,
  noon_ms,
  type OpenLedger,
  openLedger,
  recorded,
  run,
  seededDatabase,
  spend,
} from './ledger-fixture.ts';

const day_ms = 86_400_000;

/** A fold that changes nothing and gives the state that was loaded. */
const look: Fold<LedgerState> = (state) => ({ changes: no_changes, result: state });

for (const name of database_names) {
  describe(`the ledger on ${name}`, () => {
    let database: ScratchDatabase;
    let open: OpenLedger;

    before(async () => {
      database = await seededDatabase(name, 40);
      open = await openLedger(database.database_url);
    });
    after(async () => {
      await open?.close();
      await database?.dispose();
    });

    const rows = async (sql: string) => await run(open.connection, sql);
    const record = async (card_id: number, authorization: Partial<Authorization>, trace_id: string) => {
      const message = authorizationMessage(card_id, { trace_id });
      return await open.ledger.pass([message], (state) => {
        const [card] = state.cards;
        assert(card);
        const row = { ...recorded(state, card, message, state.authorization_ids[0] ?? 0, true), ...authorization };
        const counters = [{ card_id, counters: { ...card.counters, next_hold_end_ms: row.hold_end_ms } }];
        return { changes: { ...no_changes, counters, authorizations_inserted: [row] }, result: row };
      });
    };
    const clearing = async (card_id: number, fields: Partial<Clearing>, transaction_id: string) => {
      const message = clearingMessage(card_id, { network_financial_transaction_id: transaction_id });
      return await open.ledger.pass([message], (state) => {
        const { kind: _, number_index: __, vcn_id: ___, ...kept } = message;
        const row: Clearing = {
          ...kept,
          id: state.clearing_ids[0] ?? 0,
          company_id: 1,
          card_id,
          recorded_at_ms: state.now_ms,
          authorization_id: null,
          clearing_id: null,
          match_rule: 8,
          review: false,
          class: 'force_post',
          window_start_ms: 0,
          cleared_effect: money(10),
          hold_effect: money(0),
          uses: 1,
          ...fields,
        };
        return { changes: { ...no_changes, clearings_inserted: [row] }, result: row };
      });
    };

    it('loads the card of a number with its controls, counters and template, and leaves an unknown number out', async () => {
      const messages = [authorizationMessage(1), authorizationMessage(9_999, { trace_id: 'T2' })];
      const state = await open.ledger.pass(messages, look);
      assert.equal(state.now_ms, noon_ms);
      assert.equal(state.cards.length, 1);
      const { number_index, ...card } = state.cards[0] ?? assert.fail();
      assert.deepEqual(new Uint8Array(number_index), new Uint8Array(indexOf(1)));
      assert.deepEqual(card, {
        id: 1,
        company_id: 1,
        rcn_id: 1,
        rcn_alias: 'Travel',
        billing_currency: 'USD',
        template_id: 1,
        status: 'Approved',
        last4: '0000',
        expiry: '2028-05',
        per_transaction_min: 0,
        per_transaction_max: 1_000,
        per_transaction_max_defaulted: true,
        total_card_amount: 1_000,
        transactions_max: null,
        recurring: 'Continuous',
        authorization_hold_days: null,
        aging_velocity_time_zone: null,
        currency: null,
        valid_starting_on: '2026-01-01',
        valid_ending_on: '2028-05-31',
        template: { mcc_rule: 'DENY', mcc_list: [] },
        counters: { window_start_ms: 0, held: 0, cleared: 0, uses: 0, next_hold_end_ms: null },
      });
    });

    it('gives fresh ids that rise, one of each for every message that may need one', async () => {
      const messages = [authorizationMessage(1), authorizationMessage(1, { trace_id: 'T2' }), clearingMessage(1)];
      const { authorization_ids, clearing_ids, event_ids } = await open.ledger.pass(messages, look);
      assert.deepEqual([authorization_ids.length, clearing_ids.length, event_ids.length], [2, 1, 3]);
      for (const ids of [authorization_ids, clearing_ids, event_ids]) {
        assert.deepEqual(
          ids,
          [...new Set(ids)].toSorted((a, b) => a - b),
        );
      }
    });

    it('gives back an authorization as it was written, to a message with its trace id', async () => {
      const written = await record(2, { hold_end_ms: noon_ms + day_ms, incremental: true, root_id: null }, 'T-back');
      const state = await open.ledger.pass([authorizationMessage(2, { trace_id: 'T-back' })], look);
      assert.deepEqual(state.authorizations, [written]);
      assert.deepEqual(
        (await open.ledger.pass([authorizationMessage(2, { trace_id: 'T-other' })], look)).authorizations,
        [],
      );
      assert.deepEqual(
        (await open.ledger.pass([authorizationMessage(1, { trace_id: 'T-back' })], look)).authorizations,
        [],
      );
    });

    it('loads the root of a message that is found, though its trace id is another', async () => {
      const root = await record(3, {}, 'T-root');
      const child = await record(3, { root_id: root.id }, 'T-child');
      const state = await open.ledger.pass([authorizationMessage(3, { trace_id: 'T-child' })], look);
      assert.deepEqual(state.authorizations.map(({ id }) => id).toSorted(), [root.id, child.id].toSorted());
    });

    it('changes what a later message may change of an authorization, and nothing else', async () => {
      const before = await record(4, {}, 'T-change');
      const change = {
        id: before.id,
        card_id: 4,
        status: 'partially_cleared',
        authorized: 9,
        held: 4,
        cleared: 5,
        uses: 1,
        hold_end_ms: noon_ms + 1,
      } as const;
      await open.ledger.pass([authorizationMessage(4, { trace_id: 'T-change' })], () => ({
        changes: { ...no_changes, authorizations_changed: [change] },
        result: null,
      }));
      const state = await open.ledger.pass([authorizationMessage(4, { trace_id: 'T-change' })], look);
      assert.deepEqual(state.authorizations, [{ ...before, ...change }]);
    });

    it('gives back a clearing as it was written, to a copy of it on any card or on none', async () => {
      const written = await clearing(5, { partial: true, review: true, clearing_type: 'CREDIT' }, 'F-copy');
      for (const card_id of [5, 6, 9_999]) {
        const copy = clearingMessage(card_id, {
          network_financial_transaction_id: 'F-copy',
          acquirer_reference_data: null,
          approval_code: null,
          net_reference_number: null,
          merchant_id: null,
          merchant_amount: null,
        });
        const state = await open.ledger.pass([copy], look);
        assert.deepEqual(state.clearings, [written], `card ${card_id}`);
      }
    });

    it('finds the card of a clearing by its id too', async () => {
      const message = { ...clearingMessage(7), number_index: null, vcn_id: 7 };
      const state = await open.ledger.pass([message, authorizationMessage(8)], look);
      assert.deepEqual(state.cards.map(({ id }) => id).toSorted(), [7, 8]);
    });

    const nothing_in_common = {
      acquirer_reference_data: null,
      approval_code: null,
      net_reference_number: null,
      merchant_id: null,
      merchant_amount: null,
    };
    for (const [by, fields] of Object.entries<Partial<ClearingMessage>>({
      'approval code': { approval_code: 'QQ1234' },
      'network reference number': { net_reference_number: 'MCCQQ12340520' },
      'the six characters of the network reference number alone': { net_reference_number: 'XXXQQ12349999' },
      'merchant within 36 days, when it is a credit': { merchant_id: 'MQQ', clearing_type: 'CREDIT' },
    })) {
      it(`finds the candidates of a clearing by ${by}`, async () => {
        const card_id = 9;
        const marked = {
          approval_code: 'QQ1234',
          net_reference_number: 'MCCQQ12340520',
          merchant_id: 'MQQ',
          merchant_amount: money(777),
        };
        const root = await record(card_id, marked, `T-root-${by}`);
        const other = await record(card_id, { merchant_amount: money(1) }, `T-other-${by}`);
        const child = await record(card_id, { ...marked, root_id: root.id }, `T-child-${by}`);
        const cleared = await clearing(card_id, marked, `F-${by}`);
        const message = clearingMessage(card_id, {
          network_financial_transaction_id: `F-new-${by}`,
          ...nothing_in_common,
          ...fields,
        });
        const state = await open.ledger.pass([message], look);
        const found = state.authorizations.map(({ id }) => id);
        assert(found.includes(root.id), 'the root');
        assert(!found.includes(other.id), 'not what has nothing in common');
        assert(!found.includes(child.id), 'not what is no root');
        assert(
          state.clearings.some(({ id }) => id === cleared.id),
          'the earlier clearing',
        );
        const elsewhere = await open.ledger.pass([{ ...message, number_index: indexOf(10) }], look);
        assert.deepEqual([elsewhere.authorizations, elsewhere.clearings], [[], []], 'nothing of another card');
      });
    }

    it('finds an earlier clearing by its acquirer reference data, with the authorization that it was matched to', async () => {
      const root = await record(11, {}, 'T-matched');
      const cleared = await clearing(
        11,
        { ...nothing_in_common, acquirer_reference_data: 'ARD-1', authorization_id: root.id },
        'F-matched',
      );
      const message = clearingMessage(11, {
        network_financial_transaction_id: 'F-reversal',
        ...nothing_in_common,
        acquirer_reference_data: 'ARD-1',
      });
      const state = await open.ledger.pass([message], look);
      assert.deepEqual(state.clearings, [cleared]);
      assert.deepEqual(state.authorizations, [root]);
    });

    describe('of the merchant of a clearing', () => {
      const of_merchant = { approval_code: null, net_reference_number: null, merchant_id: 'M-recent' };
      const day = { net_reference_number: 'MCCSETTLE0520', merchant_id: 'M-recent' };
      const seek = (card_id: number, fields: Partial<ClearingMessage> = {}) =>
        clearingMessage(card_id, { ...nothing_in_common, merchant_id: 'M-recent', ...fields });
      const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id).toSorted((a, b) => a - b);

      it('looks 36 days back, and no further', async () => {
        const card_id = 12;
        await record(card_id, { decided_at_ms: noon_ms - 37 * day_ms, merchant_id: 'M-recent' }, 'T-old');
        const near = await record(card_id, { decided_at_ms: noon_ms - 35 * day_ms, merchant_id: 'M-recent' }, 'T-near');
        const state = await open.ledger.pass([seek(card_id)], look);
        assert.deepEqual(state.authorizations, [near]);
      });

      it('leaves roots of other amounts', async () => {
        const card_id = 35;
        const amounts = { billing_amount: money(501), merchant_amount: money(502) };
        await record(card_id, { ...of_merchant, ...amounts, authorized: money(503) }, 'T-other-amounts');
        const found = {
          billing_amount: await record(card_id, { ...of_merchant, ...amounts, billing_amount: money(601) }, 'T-601'),
          merchant_amount: await record(card_id, { ...of_merchant, ...amounts, merchant_amount: money(602) }, 'T-602'),
        };
        const authorized = await record(
          card_id,
          { ...of_merchant, ...amounts, authorized: money(602) },
          'T-authorized',
        );
        const message = seek(card_id, { billing_amount: money(601), merchant_amount: money(602) });
        const { authorizations } = await open.ledger.pass([message], look);
        assert.deepEqual(idsOf(authorizations), [found.billing_amount.id, found.merchant_amount.id, authorized.id]);
        const billed_only = await open.ledger.pass([{ ...message, merchant_amount: null }], look);
        assert.deepEqual(idsOf(billed_only.authorizations), [found.billing_amount.id]);
      });

      it('leaves roots that are done with, and clearings, to credits', async () => {
        const card_id = 33;
        const waiting = await record(card_id, { ...of_merchant, status: 'partially_cleared' }, 'T-waiting');
        const cleared = await record(card_id, { ...of_merchant, status: 'cleared' }, 'T-cleared');
        const reversed = await record(card_id, { ...of_merchant, status: 'reversed' }, 'T-reversed');
        const earlier = await clearing(card_id, of_merchant, 'F-recent');
        const debit = await open.ledger.pass([seek(card_id)], look);
        assert.deepEqual([idsOf(debit.authorizations), debit.clearings], [[waiting.id], []]);
        const credit = await open.ledger.pass([seek(card_id, { clearing_type: 'CREDIT' })], look);
        assert.deepEqual(idsOf(credit.authorizations), [waiting.id, cleared.id, reversed.id]);
        assert.deepEqual(credit.clearings, [earlier]);
      });

      it('reads nothing when a reference settles it, unless the card has a message to be decided in the same pass', async () => {
        const card_id = 34;
        const settled = await record(card_id, day, 'T-settled');
        const other = await record(card_id, of_merchant, 'T-same-merchant');
        const message = seek(card_id, day);
        const alone = await open.ledger.pass([message], look);
        assert.deepEqual(idsOf(alone.authorizations), [settled.id]);
        const beside = await open.ledger.pass([message, authorizationMessage(card_id, { trace_id: 'T-other' })], look);
        assert.deepEqual(idsOf(beside.authorizations), [settled.id, other.id]);
        await record(card_id, day, 'T-tie');
        const tied = await open.ledger.pass([message], look);
        assert.equal(tied.authorizations.length, 3, 'two with one reference settle nothing');
      });
    });

    it('loads the holds of a card whose end has come, and of the others only the next', async () => {
      const card_id = 13;
      const due = await record(card_id, { hold_end_ms: noon_ms - 1 }, 'T-due');
      const due_now = await record(card_id, { hold_end_ms: noon_ms }, 'T-due-now');
      const released = await record(card_id, { hold_end_ms: noon_ms - 2, status: 'reversed' }, 'T-released');
      // Cleared in part for all that it held: it ends nothing, and must not hide the hold that ends next.
      await record(card_id, { hold_end_ms: noon_ms + 1, status: 'partially_cleared', held: money(0) }, 'T-emptied');
      const next = await record(card_id, { hold_end_ms: noon_ms + 2 }, 'T-next');
      const later = await record(card_id, { hold_end_ms: noon_ms + 3 }, 'T-later');
      await rows(`update virtual_cards set next_hold_end_ms = ${noon_ms - 1} where id = ${card_id}`);
      const state = await open.ledger.pass([authorizationMessage(card_id, { trace_id: 'T-none' })], look);
      const found = new Set(state.authorizations.map(({ id }) => id));
      assert.deepEqual(found, new Set([due.id, due_now.id, next.id]));
      assert(!found.has(released.id) && !found.has(later.id));
      await rows(`update virtual_cards set next_hold_end_ms = null where id = ${card_id}`);
    });

    it('passes over the cards that are due, at most as many as asked for', async () => {
      await rows(`update virtual_cards set next_hold_end_ms = ${noon_ms} where id in (20, 21, 22)`);
      await rows(`update virtual_cards set next_hold_end_ms = ${noon_ms + 1} where id = 23`);
      const all = await open.ledger.passDue(10, look);
      assert.deepEqual(all.cards.map(({ id }) => id).toSorted(), [20, 21, 22]);
      assert.equal((await open.ledger.passDue(2, look)).cards.length, 2);
      await open.ledger.passDue(10, (state) => ({
        changes: {
          ...no_changes,
          counters: state.cards.map((card) => ({
            card_id: card.id,
            counters: { ...card.counters, next_hold_end_ms: null },
          })),
        },
        result: null,
      }));
      assert.deepEqual((await open.ledger.passDue(10, look)).cards, []);
      await rows(`update virtual_cards set next_hold_end_ms = null where id = 23`);
    });

    it('writes nothing when the fold throws, and passes its error on', async () => {
      const message = authorizationMessage(14, { trace_id: 'T-thrown' });
      const thrown = new TypeError('a bug');
      await assert.rejects(
        open.ledger.pass([message], () => {
          throw thrown;
        }),
        (error) => error === thrown,
      );
      assert.deepEqual(await open.ledger.pass([message], spend([message])), [true], 'the ledger goes on');
    });

    it('writes nothing when one of the writes fails, and says so as a fault', async () => {
      const first = authorizationMessage(15, { trace_id: 'T-half' });
      const broken: Fold<null> = (state) => {
        const { changes } = spend([first])(state);
        const [row] = changes.authorizations_inserted;
        assert(row);
        // The trace id is not null in the table.
        const bad = { ...row, id: row.id + 1_000_000, trace_id: null as unknown as string };
        return { changes: { ...changes, authorizations_inserted: [row, bad] }, result: null };
      };
      await assert.rejects(open.ledger.pass([first], broken), (error) => {
        assert(error instanceof Fault);
        assert.equal(error.retryable, false);
        return true;
      });
      const counted = await rows(
        `select (select count(*) from authorizations where card_id = 15) as authorizations, held, uses from virtual_cards where id = 15`,
      );
      assert.deepEqual(counted, [{ authorizations: 0, held: 0, uses: 0 }]);
    });

    it('keeps a message for a number that nobody has, without the number', async () => {
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
        'select number_index, last4, message, recorded_at_ms, request_id from unknown_number_messages',
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

    it('writes an event with what its filters look for', async () => {
      const message = authorizationMessage(16, { trace_id: 'T-event', mcc: '4121', billing_amount: money(31) });
      await open.ledger.pass([message], spend([message]));
      const [event] = await rows(
        `select company_id, event_type, created_at_ms, vcn_id, billing_amount, mcc, merchant_name, request_id, payload, previous,
           segment = (id >> 13) as in_its_segment from events where vcn_id = 16`,
      );
      const { payload, in_its_segment, ...columns } = event ?? assert.fail();
      assert(in_its_segment);
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
      assert.equal(JSON.parse(String(payload)).billing_amount, 31);
    });

    it('answers a batch as it answers the same messages one by one', async () => {
      const on = (card_id: number) =>
        Array.from({ length: 12 }, (_, at) =>
          // Every third is the message before it once more.
          authorizationMessage(card_id, {
            trace_id: `T${at % 3 === 2 ? at - 1 : at}`,
            billing_amount: money(90 + at * 20),
          }),
        );
      const batch = on(17);
      const together = await open.ledger.pass(batch, spend(batch));
      const alone = [];
      for (const message of on(18)) alone.push(...(await open.ledger.pass([message], spend([message]))));
      assert.deepEqual(together, alone);
      assert(together.includes(true) && together.includes(false));
      const [first, second] = await rows('select held, uses from virtual_cards where id in (17, 18) order by id');
      assert.deepEqual(first, second);
    });
  });
}
