import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  type Reply,
  readRows,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startServer,
  testRuns,
} from '@tallystick/test-support';
import { recomputedBalances } from './balances.ts';
import { authorize, availableBalance, clear, issue, type Message, purchase } from './purchases.ts';

const callers = 64;

/**
 * Each caller's messages, sent one after another: enough passes that the limit is reached during a
 * race.
 */
const messages_each = 2;

/** How long the first of many may take before the test reports that it does not end. */
const patience_ms = 300_000;

for (const name of database_names) {
  const processes = name === 'postgres' ? 2 : 1;
  describe(`${callers} callers, ${processes} server process${processes === 1 ? '' : 'es'}, ${name}`, () => {
    let database: ScratchDatabase;
    const servers: ServerProcess[] = [];
    before(async () => {
      database = await migratedDatabase(name);
      const one = async () => servers.push(await startServer({ database_url: database.database_url }));
      await Promise.all(Array.from({ length: processes }, one));
    });
    after(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database?.dispose();
    });
    /** The callers are spread over the processes. */
    const urlOf = (caller: number): string => servers[caller % servers.length]!.url;
    /** All callers at the same time, each with its messages one after another. */
    const storm = async (message: () => Message): Promise<readonly Reply[]> => {
      const each = Array.from({ length: callers }, async (_, caller) => {
        const replies: Reply[] = [];
        for (let sent = 0; sent < messages_each; sent += 1) replies.push(await authorize(urlOf(caller), message()));
        return replies;
      });
      return (await Promise.all(each)).flat();
    };
    const balanceEverywhere = async (id: string): Promise<number> => {
      const shown = await Promise.all(servers.map(({ url }) => availableBalance(url, id)));
      assert.equal(new Set(shown).size, 1, `processes show different balances: ${shown}`);
      return shown[0]!;
    };

    for (let round = 1; round <= testRuns({ short: 1, full: 3 }); round += 1) {
      it(`approve exactly as many purchases as the card has uses (${round})`, async () => {
        const uses = 51;
        const card = await issue(urlOf(0), { total_card_amount: 1_000_000, transactions_max: uses });
        const replies = await storm(() => purchase(card.card_number, 700));
        assert.deepEqual(counted(replies), { '00': uses, '65': callers * messages_each - uses });
        assert.equal(await balanceEverywhere(card.id), 1_000_000 - uses * 700);
        const rows = await recomputedBalances(database, Date.now());
        assert.deepEqual(rows.get(Number(card.id)), {
          card_id: Number(card.id),
          available_balance: 1_000_000 - uses * 700,
          uses,
        });
        assert.equal(await eventsOf(database, card.id), callers * messages_each);
      });

      it(`approve exactly as many equal purchases as the amount has room for (${round})`, async () => {
        const card = await issue(urlOf(0), { total_card_amount: 47 * 1_000 + 999, per_transaction_max: 5_000 });
        const replies = await storm(() => purchase(card.card_number, 1_000));
        assert.deepEqual(counted(replies), { '00': 47, '61': callers * messages_each - 47 });
        assert.equal(await balanceEverywhere(card.id), 999);
        const rows = await recomputedBalances(database, Date.now());
        assert.equal(rows.get(Number(card.id))?.available_balance, 999);
      });

      it(`never approve more than the amount, nor decline what still fits (${round})`, async () => {
        const total = 50_000;
        const card = await issue(urlOf(0), { total_card_amount: total });
        let sent = 0;
        const replies = await storm(() => {
          sent += 1;
          return purchase(card.card_number, 100 + ((sent * 617) % 1_500));
        });
        const amounts = (code: string): number[] =>
          replies.filter(({ json }) => json.data.response_code === code).map(({ json }) => json.data.billing_amount);
        const left = total - amounts('00').reduce((sum, amount) => sum + amount, 0);
        assert.ok(left >= 0, `${-left} too much was approved`);
        assert.equal(amounts('00').length + amounts('61').length, replies.length);
        assert.ok(amounts('61').length > 0, 'the limit was met');
        assert.ok(
          amounts('61').every((amount) => amount > left),
          'the declined amount would not fit even now',
        );
        assert.equal(await balanceEverywhere(card.id), left);
        const rows = await recomputedBalances(database, Date.now());
        assert.equal(rows.get(Number(card.id))?.available_balance, left);
      });

      it(`get one decision, one event and one answer for one message (${round})`, async () => {
        const card = await issue(urlOf(0), { total_card_amount: 10_000 });
        const message = purchase(card.card_number, 600);
        const replies = await Promise.all(
          Array.from({ length: callers }, (_, caller) => authorize(urlOf(caller), message)),
        );
        assert.deepEqual([...new Set(replies.map(({ text }) => text))], [replies[0]!.text]);
        assert.equal(replies[0]!.json.data.response_code, '00');
        assert.equal(await eventsOf(database, card.id), 1);
        assert.equal(await balanceEverywhere(card.id), 9_400);

        const clearing = {
          vcn_id: card.id,
          network_financial_transaction_id: `NFT-${message.trace_id}`,
          billing_amount: 500,
          billing_currency: 'USD',
          clearing_type: 'DEBIT',
          settlement_date: '2030-03-16',
          approval_code: replies[0]!.json.data.approval_code,
          merchant_id: message.merchant_id,
        };
        const cleared = await Promise.all(
          Array.from({ length: callers }, (_, caller) => clear(urlOf(caller), clearing)),
        );
        assert.deepEqual([...new Set(cleared.map(({ text }) => text))], [cleared[0]!.text]);
        assert.equal(cleared[0]!.status, 200, cleared[0]!.text);
        assert.equal(await eventsOf(database, card.id), 2);
        assert.equal(await balanceEverywhere(card.id), 9_500);
      });

      it(`record one clearing for one transaction id, and refuse other content and another card (${round})`, async () => {
        const cards = [
          await issue(urlOf(0), { total_card_amount: 10_000 }),
          await issue(urlOf(0), { total_card_amount: 10_000 }),
        ];
        const network_financial_transaction_id = `NFT-${purchase('', 1).trace_id}`;
        // Those of one card and amount come from several processes.
        const sent = Array.from({ length: callers }, (_, caller) => ({
          vcn_id: cards[(caller >> 1) % 2]!.id,
          network_financial_transaction_id,
          billing_amount: 500 + ((caller >> 2) % 2),
          billing_currency: 'USD',
          clearing_type: 'DEBIT',
          settlement_date: '2030-03-16',
        }));
        const replies = await Promise.all(sent.map((message, caller) => clear(urlOf(caller), message)));
        const recorded = replies.filter(({ status }) => status === 200);
        assert.equal(new Set(recorded.map(({ text }) => text)).size, 1);
        const { vcn_id, billing_amount } = recorded[0]!.json.data;
        const isCopy = (message: Message) =>
          message.vcn_id === String(vcn_id) && message.billing_amount === billing_amount;
        assert.deepEqual(
          replies.map(({ status }) => status),
          sent.map((message) => (isCopy(message) ? 200 : 400)),
        );
        const balances = await Promise.all(cards.map(({ id }) => balanceEverywhere(id)));
        assert.deepEqual(
          balances,
          cards.map(({ id }) => (id === String(vcn_id) ? 10_000 - billing_amount : 10_000)),
        );
        const kept = await readRows<{ reason: string; count: number }>(
          database,
          'select reason, count from tallystick_quarantine order by id desc limit 3',
        );
        const of_card = callers / 4;
        assert.deepEqual(kept.map(({ reason, count }) => [reason, Number(count)]).toSorted(), [
          ['transaction_of_another_card', of_card],
          ['transaction_of_another_card', of_card],
          ['transaction_of_another_clearing', of_card],
        ]);
      });

      it(`release the hold once, even if the reversal races with itself and with a second purchase (${round})`, async () => {
        const card = await issue(urlOf(0), { total_card_amount: 1_000, transactions_max: 1 });
        const first = purchase(card.card_number, 1_000);
        assert.equal((await authorize(urlOf(0), first)).json.data.response_code, '00');
        const reversal = { ...first, message_type_indicator: '0400' };
        const replies = await Promise.all(
          Array.from({ length: callers }, (_, caller) =>
            authorize(urlOf(caller), caller % 2 === 0 ? purchase(card.card_number, 1_000) : reversal),
          ),
        );
        const bought = replies.filter((_, caller) => caller % 2 === 0);
        const reversed = replies.filter((_, caller) => caller % 2 === 1);
        assert.deepEqual([...new Set(reversed.map(({ text }) => text))], [reversed[0]!.text]);
        const approved = bought.filter(({ json }) => json.data.response_code === '00').length;
        assert.ok(approved <= 1, `${approved} purchases took the one use that was given back`);
        const rows = await recomputedBalances(database, Date.now());
        assert.deepEqual(rows.get(Number(card.id)), {
          card_id: Number(card.id),
          available_balance: approved === 1 ? 0 : 1_000,
          uses: approved,
        });
        assert.equal(await balanceEverywhere(card.id), approved === 1 ? 0 : 1_000);
      });

      it(`issue one card for one Idempotency-Key (${round})`, async () => {
        const before = await cardsIn(database);
        const body = { data: { total_card_amount: 4_200, metadata: { round } }, show_card_number: true };
        const headers = { 'Idempotency-Key': `once-${round}` };
        const replies = await Promise.all(
          Array.from({ length: 32 }, (_, caller) => untilDone(urlOf(caller), { body, headers })),
        );
        assert.deepEqual([...new Set(replies.map(({ text }) => text))], [replies[0]!.text]);
        assert.equal(replies[0]!.status, 200, replies[0]!.text);
        assert.equal(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
        assert.equal(await cardsIn(database), before + 1);
        const { id } = replies[0]!.json.data;
        assert.equal(await eventsOf(database, id, 'virtualcard.created'), 1);
      });
    }
  });
}

/** Retries as requested after a 409. */
async function untilDone(
  url: string,
  sending: { readonly body: unknown; readonly headers: Readonly<Record<string, string>> },
): Promise<Reply> {
  const until_ms = performance.now() + patience_ms;
  for (;;) {
    const reply = await send(url, 'POST', '/v1/virtualcards', sending);
    if (reply.status !== 409) return reply;
    assert.equal(reply.json.code, 'idempotency_in_progress');
    assert.ok(performance.now() < until_ms, 'the first request with this key is never answered');
  }
}

function counted(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const codes = Map.groupBy(replies, ({ json, text }) => String(json?.data?.response_code ?? text));
  return Object.fromEntries([...codes].map(([code, all]) => [code, all.length]));
}

async function cardsIn(database: ScratchDatabase): Promise<number> {
  const [row] = await readRows<{ cards: number }>(database, 'select count(*) as cards from tallystick_virtual_cards');
  return row!.cards;
}

/** The events about a card: of its messages and clearings, or of one type. */
async function eventsOf(database: ScratchDatabase, card_id: string, event_type?: string): Promise<number> {
  const which =
    event_type === undefined ? `vcn_id = ${card_id}` : `event_type = '${event_type}' and payload_id = '${card_id}'`;
  const [row] = await readRows<{ events: number }>(
    database,
    `select count(*) as events from tallystick_events where ${which}`,
  );
  return row!.events;
}
