import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AuthorizationMessage, ClientReply } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { database_names, repeatableRandom } from '@tallystick/test-support';
import { ConsultingWorld, says } from './consulting-world.ts';
import { authorizationMessage, noon_ms } from './ledger-fixture.ts';

const runs = 8;
const messages_max = 24;
const limit = 1_000;

/** What a decider of the test answers to a message, drawn before it is asked. */
type Planned = 'approve' | 'decline' | 'part' | 'garbage' | 'fail' | 'late';

const kinds: readonly Planned[] = ['approve', 'approve', 'approve', 'decline', 'part', 'garbage', 'fail', 'late'];

for (const name of database_names) {
  describe(`every kind of answer, in any order and in two processes, on ${name}`, () => {
    let world: ConsultingWorld;
    before(async () => {
      world = await ConsultingWorld.open(name, noon_ms);
    });
    after(() => world?.close());

    for (let seed = 1; seed <= runs; seed += 1) {
      it(`keeps the limit, and decides as was said, in run ${seed}`, async () => {
        const random = repeatableRandom(seed);
        const card = world.nextCard();
        const plans = new Map<string, { readonly kind: Planned; readonly amount: number }>();
        const asked: { readonly trace_id: string; readonly reply: (reply: ClientReply) => void }[] = [];
        const ask = ({ item }: { readonly item: { readonly trace_id: string } }) => {
          const { promise, resolve } = Promise.withResolvers<ClientReply>();
          asked.push({ trace_id: item.trace_id, reply: resolve });
          return promise;
        };
        const processes = [await world.process({ ask }), await world.process({ ask })] as const;
        const sent = Array.from({ length: messages_max }, (_, at) => {
          const trace_id = `T${at}`;
          const amount = 20 + random.below(200);
          plans.set(trace_id, { kind: kinds[random.below(kinds.length)]!, amount });
          const message: Partial<AuthorizationMessage> = {
            trace_id,
            billing_amount: money(amount),
            merchant_amount: money(amount),
          };
          return authorizationMessage(card, { ...message, details: { partial_approval: true } });
        });
        const answers = sent.map((message, at) => processes[at % 2]!.network.authorize(message));
        // Messages that the card declines by itself are never asked about.
        const settled = new Set<number>();
        for (const [at, answer] of answers.entries()) void answer.then(() => settled.add(at));
        while (settled.size < sent.length) {
          const one = asked.splice(random.below(Math.max(1, asked.length)), 1)[0];
          if (one === undefined) {
            for (const { timeline } of processes) timeline.elapse(0);
            await new Promise(setImmediate);
            continue;
          }
          const { kind, amount } = plans.get(one.trace_id)!;
          if (kind === 'late') for (const { timeline } of processes) timeline.elapse(1_500);
          one.reply(replyOf(kind, amount));
        }
        for (const { network } of processes) await network.drain();

        const rows = await world.sql(
          `select trace_id, decline_code, authorized, held from tallystick_authorizations where card_id = ${card}`,
        );
        const sum = rows.reduce((total, { held }) => total + Number(held), 0);
        assert.equal(await world.held(card), sum, 'the counter is what the rows hold');
        assert(sum <= limit, `holds ${sum}`);
        assert.equal(rows.length, sent.length, 'each message is decided once');
        const records = new Map((await world.records(processes[0], card)).map((record) => [record.trace_id, record]));
        for (const { trace_id, decline_code, authorized } of rows) {
          const record = records.get(String(trace_id));
          if (record === undefined) {
            assert.equal(decline_code, 'F', 'only what the limit declines is not asked about');
            continue;
          }
          const { kind, amount } = plans.get(String(trace_id))!;
          // Busy: the others took all of its time, so that it was not asked.
          const is_over = record.outcome === 'timeout' || record.outcome === 'busy';
          const expected = is_over ? 'decline' : saidOf(kind, amount);
          assert.equal(record.answer, expected);
          assert.equal(record.decline_code, decline_code);
          if (decline_code === null) {
            assert.notEqual(record.answer, 'decline');
            assert.equal(Number(authorized), record.amount ?? amount);
          } else assert.equal(decline_code, record.answer === 'decline' && decline_code !== 'F' ? 'P' : 'F');
        }
      });
    }
  });
}

function replyOf(kind: Planned, amount: number): ClientReply {
  if (kind === 'part') return says.part(Math.ceil(amount / 2));
  if (kind === 'garbage') return says.part(amount + 1);
  if (kind === 'fail') return { kind: 'failed', why: 'unreachable', note: null };
  return kind === 'decline' ? says.decline : says.approve;
}

/** What is recorded as said when the answer comes in time. */
function saidOf(kind: Planned, amount: number): string {
  if (kind === 'part') return Math.ceil(amount / 2) === amount ? 'approve' : 'approve_part';
  return kind === 'approve' || kind === 'late' ? 'approve' : 'decline';
}
