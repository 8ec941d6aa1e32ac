import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AuthorizationMessage, type ClearingMessage, foldMessages, type PassPorts } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { database_names, propertyParameters, type ScratchDatabase, testAuditMac } from '@tallystick/test-support';
import fc from 'fast-check';
import { mikroOrmPersistence } from '../src/index.ts';
import {
  authorizationMessage,
  clearingMessage,
  noon_ms,
  type OpenLedger,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

type Arriving = AuthorizationMessage | ClearingMessage;

/** So many cards that each order of arrival of a run has one of its own. */
const card_count = 600;
const race_count = 20;

const advice = { message_type: '0120', merchant_id: 'M' } as const;

/** The messages of a card. Each has an effect on the matches of others. */
const messages: readonly (Partial<AuthorizationMessage> | Partial<ClearingMessage>)[] = [
  { ...advice, trace_id: 'T1', approval_code: 'A00001', net_reference_number: 'MCCABC1230518' },
  {
    ...advice,
    trace_id: 'T2',
    approval_code: 'A00002',
    net_reference_number: 'MCCABC1230518',
    billing_amount: money(20),
  },
  { ...advice, trace_id: 'T3', approval_code: 'A00003', net_reference_number: null },
  clearing('F1', { net_reference_number: 'MCCABC1230518', approval_code: null, settlement_date: '2026-05-19' }),
  clearing('F2', { net_reference_number: 'MCCABC1230518', approval_code: null, settlement_date: '2026-05-18' }),
  clearing('F3', { net_reference_number: '   ABC123    ', approval_code: 'A00002', partial: true }),
  clearing('F4', { approval_code: null, merchant_amount: null }),
  clearing('F5', {
    clearing_type: 'CREDIT',
    approval_code: null,
    billing_amount: money(4),
    settlement_date: '2026-05-21',
  }),
  clearing('F6', { cycle: 'reversal', clearing_type: 'CREDIT', acquirer_reference_data: 'F2', approval_code: null }),
  {
    ...clearing('S4', { approval_code: null, merchant_amount: null, acquirer_reference_data: 'F4' }),
    synthetic_id: true,
  },
];

function clearing(id: string, fields: Partial<ClearingMessage>): Partial<ClearingMessage> {
  return {
    network_financial_transaction_id: id,
    acquirer_reference_data: id,
    net_reference_number: null,
    merchant_id: 'M',
    ...fields,
  };
}

for (const name of database_names) {
  describe(`the messages of a card, on ${name}`, () => {
    let database: ScratchDatabase;
    let ledgers: readonly OpenLedger[] = [];
    let persistence: Awaited<ReturnType<typeof mikroOrmPersistence>> | undefined;
    let next_card = 0;
    let reduced_count = 0;

    before(async () => {
      database = await seededDatabase(name, card_count + race_count, {
        total_card_amount: 1_000_000,
        per_transaction_max: 1_000_000,
      });
      ledgers = [await openLedger(database.database_url), await openLedger(database.database_url)];
      const clock = { nowMs: () => noon_ms };
      persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: database.database_url,
        clock,
      });
      await persistence.migrate();
    });
    after(async () => {
      for (const ledger of ledgers) await ledger.close();
      await persistence?.close();
      await database?.dispose();
    });

    const messageOf = (card_id: number, fields: (typeof messages)[number]): Arriving => {
      if (!('network_financial_transaction_id' in fields)) {
        // Of several with one reference the oldest is chosen.
        const transaction_date_time_ms = noon_ms + Number((fields as Partial<AuthorizationMessage>).trace_id!.slice(1));
        return authorizationMessage(card_id, { ...fields, transaction_date_time_ms } as object);
      }
      const id = `${fields.network_financial_transaction_id}-${card_id}`;
      return clearingMessage(card_id, { ...fields, network_financial_transaction_id: id });
    };
    const send = async (process: number, sent: readonly Arriving[]) =>
      await ledgers[process]!.ledger.pass(sent, (state) => foldMessages(state, sent, ports));

    /** Reduces all records of the newest card that hold nothing, as if their time were over. */
    const reduce = async (card_id: number): Promise<void> => {
      const bounds = { before_ms: noon_ms + 1, now_ms: noon_ms };
      for (const kind of ['authorizations', 'clearings'] as const) {
        const [first] = await run(
          ledgers[0]!.connection,
          `select min(id) as id from tallystick_${kind} where card_id = ${card_id}`,
        );
        if (first?.id === null) continue;
        await persistence!.unitOfWork.run(async ({ retention }) => {
          const { rows } = await retention.due(kind, bounds, Number(first?.id) - 1);
          reduced_count += await retention.remove(kind, bounds, rows);
        });
      }
    };

    async function outcomeOf(card_id: number): Promise<unknown> {
      const query = (sql: string) => run(ledgers[0]!.connection, sql);
      const texts = (rows: Record<string, unknown>[]) =>
        rows.map((row) =>
          Object.values(row)
            .map((value) => (typeof value === 'boolean' ? Number(value) : value))
            .join(),
        );
      return {
        card: texts(
          await query(`select held, cleared, uses, provisional_clearings, settled_through
          from tallystick_virtual_cards where id = ${card_id}`),
        ),
        roots: texts(
          await query(`select trace_id, status, authorized, held, cleared, uses
          from tallystick_authorizations where card_id = ${card_id} order by trace_id`),
        ),
        clearings: texts(
          await query(`select substr(c.network_financial_transaction_id, 1, 2) as id, c.match_rule, c.review,
            c.class, c.cleared_effect, c.uses, c.authorization_date, c.net_reference_number, a.trace_id,
            substr(c.paired_transaction_id, 1, 2) as pair, substr(o.network_financial_transaction_id, 1, 2) as other
          from tallystick_clearings c left join tallystick_authorizations a on a.id = c.authorization_id
            left join tallystick_clearings o on o.id = c.clearing_id
          where c.card_id = ${card_id} order by id`),
        ),
      };
    }

    it('leave the same card, pairs, rules and classes in every order, from two processes, with retention between', async () => {
      const inOrder = next_card + 1;
      for (const fields of messages) await send(0, [messageOf(inOrder, fields)]);
      next_card += 1;
      const expected = await outcomeOf(inOrder);
      const orders = fc.record({
        order: fc.shuffledSubarray([...messages.keys()], { minLength: messages.length }),
        sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: messages.length, maxLength: messages.length }),
        /** Whether retention comes before each pass. */
        reduced: fc.array(fc.boolean(), { minLength: messages.length, maxLength: messages.length }),
      });
      await fc.assert(
        fc.asyncProperty(orders, async ({ order, sizes, reduced }) => {
          next_card = (next_card % card_count) + 1;
          const card_id = next_card;
          const arrived = order.map((at) => messageOf(card_id, messages[at]!));
          for (let at = 0, pass = 0; at < arrived.length; at += sizes[pass]!, pass += 1) {
            if (reduced[pass]) await reduce(card_id);
            await send(pass % 2, arrived.slice(at, at + sizes[pass]!));
          }
          assert.deepEqual(await outcomeOf(card_id), expected);
        }),
        { ...propertyParameters({ short: 60, full: 60 }), endOnFailure: true },
      );
      assert.ok(reduced_count > 0, 'nothing was reduced');
    });

    it('leave a clearing with the authorization whose code it bears, whatever the order of requests from two processes', async () => {
      const reference = { net_reference_number: 'MCCDEF4560518', merchant_id: 'M' } as const;
      const first = { ...reference, message_type: '0120', trace_id: 'T1', approval_code: 'A00001' } as const;
      const reversal = { ...reference, message_type: '0400', trace_id: 'T1' } as const;
      const rest = [
        clearing('F1', { ...reference, approval_code: 'A00001' }),
        clearing('F2', { approval_code: 'A00001', partial: true }),
        { ...reference, trace_id: 'T2' },
        { ...reference, trace_id: 'T3' },
      ];
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(rest, { minLength: rest.length }), fc.boolean(), async (order, ends) => {
          next_card = (next_card % card_count) + 1;
          const card_id = next_card;
          const arrived = [first, ...(ends ? [reversal] : []), ...order].map((fields) => messageOf(card_id, fields));
          for (const [at, message] of arrived.entries()) await send(at % 2, [message]);
          const roots = await run(
            ledgers[0]!.connection,
            `select trace_id, approval_code, cleared from tallystick_authorizations
              where card_id = ${card_id} and id = root_id order by trace_id`,
          );
          const [its_own, ...others] = roots.map(({ approval_code, cleared }) => [approval_code, Number(cleared)]);
          assert.deepEqual(its_own, ['A00001', 20]);
          for (const [code, cleared] of others) assert.deepEqual([code === 'A00001', cleared], [false, 0]);
        }),
        propertyParameters({ short: 15, full: 40 }),
      );
    });

    it('leave the same when an authorization and its clearing come at once', async () => {
      const outcomes = new Set<string>();
      for (let race = 1; race <= race_count; race += 1) {
        const card_id = card_count + race;
        const both = [messages[0]!, messages[3]!].map((fields) => messageOf(card_id, fields));
        await Promise.all(both.map((message, at) => send((at + race) % 2, [message])));
        outcomes.add(JSON.stringify(await outcomeOf(card_id)));
      }
      assert.equal(outcomes.size, 1, [...outcomes].join('\n'));
      assert.match([...outcomes].join(), /T1,cleared,10,0,10,1/);
    });
  });
}

const ports: PassPorts = {
  ...plain_quarantine,
  vault: { cvcMatches: () => true },
  random: { below: () => 7, bytes: (count) => new Uint8Array(count) },
};
