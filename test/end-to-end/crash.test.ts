import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { payloadOf } from '@tallystick/mikro-orm';
import {
  changeRows,
  database_names,
  migratedDatabase,
  type Reply,
  readRows,
  type ScratchDatabase,
  type ServerProcess,
  send,
  sendUntilAdmitted,
  startServer,
  testRuns,
} from '@tallystick/test-support';
import { recomputedBalances } from './balances.ts';
import { type Card, type Message, purchase } from './purchases.ts';

const callers = 16;

/**
 * A request that a caller sent, and its known outcome: none, if no complete answer was received.
 */
interface Sent {
  readonly path: '/v1/virtualcards' | '/network/v1/authorizations' | '/network/v1/clearings';
  readonly data: Message;
  readonly idempotency_key: string | null;
  answer: Reply | null;
}

describe('a crash', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(`of a server under load, by SIGKILL, ${name}`, { concurrency: 1 }, () => {
      let database: ScratchDatabase;
      let server: ServerProcess;
      /** All requests that were sent, by all callers, to all the successive servers. */
      const sent: Sent[] = [];
      const cards: Card[] = [];
      /** Frozen, so that balances read at one time can be recomputed for it. */
      let now_ms = 0;

      const start = async (): Promise<void> => {
        server = await startServer({ database_url: database.database_url });
      };
      const perform = async (one: Sent): Promise<Reply> => {
        const client = one.path === '/v1/virtualcards';
        const reply = await sendUntilAdmitted(server.url, 'POST', one.path, {
          key: client ? 'client' : 'network',
          body: client ? { data: one.data, show_card_number: true } : { data: one.data },
          ...(one.idempotency_key === null ? {} : { headers: { 'Idempotency-Key': one.idempotency_key } }),
        });
        assert.ok(reply.status < 500, `${JSON.stringify(one.data)}: ${reply.text}\n${server.output()}`);
        one.answer = reply;
        return reply;
      };
      const moveClock = async (move: Message): Promise<void> => {
        const moved = await send(server.url, 'POST', '/sandbox/v1/clock', {
          key: 'operator',
          body: { data: { ...move, frozen: true } },
        });
        assert.equal(moved.status, 200, moved.text);
        now_ms = Temporal.Instant.from(moved.json.data.now).epochMilliseconds;
      };

      before(async () => {
        database = await migratedDatabase(name);
        await start();
        await moveClock({ set: '2099-03-15T10:00:00Z' });
      });
      after(async () => {
        await server?.kill();
        await database?.dispose();
      });

      for (let round = 1; round <= testRuns({ short: 1, full: 3 }); round += 1) {
        it(`keeps every answer that was sent, and gives each open request one outcome (${round})`, async () => {
          const open_before = sent.length;
          await loadUntilKilled(round);
          const unanswered = sent.slice(open_before).filter(({ answer }) => answer === null);
          assert.ok(unanswered.length > 0, 'the server was killed while it had something to do');
          await start();

          const kept = await Recorded.read(database);
          for (const one of sent) if (one.answer !== null) kept.assertHolds(one);
          kept.assertNothingElse(sent);

          for (const one of unanswered) {
            if ((await perform(one)).status !== 409) continue;
            // The claim on the key outlasts the process that died: by a minute of machine time,
            // even with a frozen clock.
            await changeRows(database, 'update tallystick_idempotency_records set lease_until_machine_ms = 0');
            assert.notEqual((await perform(one)).status, 409);
          }
          for (const one of unanswered) {
            const { text } = one.answer as Reply;
            assert.equal((await perform(one)).text, text, 'the same question has the same answer');
            if (one.path === '/v1/virtualcards') cards.push(one.answer?.json.data);
          }
          const settled = await Recorded.read(database);
          for (const one of sent) settled.assertHolds(one);
          settled.assertNothingElse(sent);

          await assertBalances();
          await moveClock({ advance: 'P1D' });
          await assertBalances();
        });
      }

      /**
       * Callers that send one request after another until the server is killed, at the moment of an
       * answer, with requests in flight. An answer that was sent too early is then missing in the
       * database.
       */
      async function loadUntilKilled(round: number): Promise<void> {
        const answers_max = 100 + ((round * 37) % 120);
        let answers = 0;
        let killed = false;
        let last: Promise<Reply | null> = Promise.resolve(null);
        const begin = (one: Sent): Promise<Reply | null> => {
          sent.push(one);
          return perform(one).catch((error: unknown) => {
            if (!killed) throw error;
            return null;
          });
        };
        const ask = async (one: Sent): Promise<Reply | null> => {
          if (killed) return null;
          const reply = await begin(one);
          if (reply === null) return null;
          assert.equal(reply.status, 200, reply.text);
          answers += 1;
          if (answers >= answers_max && !killed && one.path !== '/v1/virtualcards') {
            killed = true;
            const tag = `${round}-last`;
            const data = { ...kinds[0], metadata: { tag } };
            last = begin({ path: '/v1/virtualcards', data, idempotency_key: tag, answer: null });
            server.signal('SIGKILL');
          }
          return reply;
        };
        await Promise.all(
          Array.from({ length: callers }, async (_, caller) => {
            for (let step = 0; !killed; step += 1) await story(ask, `${round}-${caller}-${step}`, caller + step);
          }),
        );
        const issued = await last;
        if (issued !== null) cards.push(issued.json.data);
        await server.exited;
      }

      /** A card, or a purchase on some card followed in turns by its possible successors. */
      async function story(ask: (one: Sent) => Promise<Reply | null>, tag: string, turn: number): Promise<void> {
        if (cards.length < 4 || turn % 5 === 0) {
          const data = { ...kinds[turn % kinds.length], metadata: { tag } };
          const issued = await ask({ path: '/v1/virtualcards', data, idempotency_key: tag, answer: null });
          if (issued !== null) cards.push(issued.json.data);
          return;
        }
        const card = cards[(turn * 7) % cards.length]!;
        const amount = 100 + ((turn * 131) % 900);
        const message = purchase(card.card_number, amount);
        const network = (data: Message) =>
          ask({
            path: '/network/v1/authorizations',
            data: { ...data, explain: true },
            idempotency_key: null,
            answer: null,
          });
        const decided = await network(message);
        if (decided === null || decided.json.data.response_code !== '00') return;
        const clearing = (part: number, partial: boolean) => ({
          path: '/network/v1/clearings' as const,
          data: {
            vcn_id: card.id,
            network_financial_transaction_id: `${message.trace_id}-${part}`,
            billing_amount: part,
            billing_currency: 'USD',
            clearing_type: 'DEBIT',
            settlement_date: '2099-03-16',
            approval_code: decided.json.data.approval_code,
            merchant_id: message.merchant_id,
            partial,
          },
          idempotency_key: null,
          answer: null,
        });
        if (turn % 4 === 0) await network({ ...message, message_type_indicator: '0400' });
        if (turn % 4 === 1) await ask(clearing(amount, false));
        if (turn % 4 === 2 && (await ask(clearing(amount - 60, true))) !== null)
          await ask(clearing(60, turn % 8 === 2));
        if (turn % 4 === 3) {
          const corrected = { billing_amount: amount - 50, settlement_amount: null, transaction_amount: amount - 50 };
          await network({ ...message, message_type_indicator: '0400', replacement_amounts: corrected });
        }
      }

      async function assertBalances(): Promise<void> {
        const recomputed = await recomputedBalances(database, now_ms);
        const shown = new Map<number, number>();
        let next: string | null = '/v1/virtualcards?page[limit]=100';
        while (next !== null) {
          const page: Reply = await send(server.url, 'GET', next);
          assert.equal(page.status, 200, page.text);
          for (const { id, available_balance } of page.json.data) shown.set(Number(id), available_balance);
          next = page.json.links.next;
        }
        assert.deepEqual([...shown.keys()].sort(), cards.map(({ id }) => Number(id)).sort());
        assert.deepEqual(
          [...shown],
          [...shown.keys()].map((id) => [id, recomputed.get(id)?.available_balance]),
        );
      }
    });
  }
});

/** One card of each kind of control. */
const kinds: readonly Message[] = [
  { total_card_amount: 20_000 },
  { total_card_amount: 5_000, recurring: 'Daily' },
  { total_card_amount: 20_000, transactions_max: 5 },
  { total_card_amount: 8_000, authorization_hold_days: 1, aging_velocity_time_zone: 'America/New_York' },
  { total_card_amount: 10_000, recurring: 'Weekly', transactions_max: 12 },
];

interface EventRow {
  readonly event_type: string;
  readonly payload_id: string;
  readonly payload: string;
}

interface Keyed {
  readonly id: number;
  readonly name: string;
}

/** The contents of the database, by the identifiers of the requests. */
class Recorded {
  readonly #rows: ReadonlyMap<string, readonly Keyed[]>;
  readonly #events: ReadonlyMap<string, readonly string[]>;

  constructor(rows: readonly Keyed[], events: readonly EventRow[]) {
    this.#rows = Map.groupBy(rows, ({ name }) => name);
    const ofOne = ({ event_type, payload_id }: EventRow) => `${event_type} ${payload_id}`;
    const groups = Map.groupBy(events, ofOne);
    this.#events = new Map([...groups].map(([one, rows]) => [one, rows.map(({ payload }) => payload)]));
  }

  static async read(database: ScratchDatabase): Promise<Recorded> {
    const cards = await readRows<{ id: number; metadata: string }>(
      database,
      'select card_id as id, metadata from tallystick_virtual_card_details',
    );
    const messages = await readRows<{ id: number; message_type: string; trace_id: string }>(
      database,
      'select id, message_type, trace_id from tallystick_authorizations',
    );
    const clearings = await readRows<Keyed>(
      database,
      'select id, network_financial_transaction_id as name from tallystick_clearings',
    );
    // Reconciliation records breaks by itself: no request asks for them.
    const events = await readRows<EventRow>(
      database,
      `select event_type, payload_id, payload from tallystick_events where event_type not like 'reconciliation.%'`,
    );
    return new Recorded(
      [
        ...cards.map(({ id, metadata }) => ({ id, name: `card ${JSON.parse(metadata).tag}` })),
        ...messages.map(({ id, message_type, trace_id }) => ({ id, name: `message ${message_type} ${trace_id}` })),
        ...clearings.map(({ id, name }) => ({ id, name: `clearing ${name}` })),
      ],
      events,
    );
  }

  /**
   * Asserts that the answer is recorded once: the object, its id and its event, and that the event
   * agrees with the answer.
   */
  assertHolds(one: Sent): void {
    const answer = one.answer as Reply;
    assert.equal(answer.status, 200, answer.text);
    const { data } = answer.json;
    const name = nameOf(one);
    assert.deepEqual(
      (this.#rows.get(name) ?? []).map(({ id }) => id),
      [Number(data.id)],
      `${name} was answered: ${answer.text}`,
    );
    const events = this.#events.get(`${event_types[one.path]} ${data.id}`) ?? [];
    assert.equal(events.length, 1, `${name} has ${events.length} events`);
    if (one.path !== '/v1/virtualcards') assert.deepEqual(payloadOf(events[0]!), data);
  }

  /**
   * Asserts that nothing was recorded without a request, nothing twice, and no object without its
   * event or event without its object.
   */
  assertNothingElse(sent: readonly Sent[]): void {
    const asked = new Set(sent.map(nameOf));
    for (const [name, rows] of this.#rows) {
      assert.ok(asked.has(name), `no request asked for ${name}`);
      assert.equal(rows.length, 1, `${name} is there ${rows.length} times`);
    }
    assert.equal([...this.#events.values()].flat().length, this.#rows.size, 'as many events as things that happened');
  }
}

const event_types = {
  '/v1/virtualcards': 'virtualcard.created',
  '/network/v1/authorizations': 'virtualcard.realtime.auths',
  '/network/v1/clearings': 'virtualcard.clearings',
} as const;

function nameOf({ path, data }: Sent): string {
  if (path === '/v1/virtualcards') return `card ${(data.metadata as { tag: string }).tag}`;
  if (path === '/network/v1/clearings') return `clearing ${data.network_financial_transaction_id}`;
  return `message ${data.message_type_indicator} ${data.trace_id}`;
}
