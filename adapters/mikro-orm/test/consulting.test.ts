import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ClientReply, ConsultationRecord } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { database_names, until } from '@tallystick/test-support';
import {
  approves_small,
  ConsultingWorld,
  held,
  type Process,
  partly,
  request,
  says,
  shown,
} from './consulting-world.ts';
import { noon_ms } from './ledger-fixture.ts';

/** An advice that changes nothing. */
const declined_elsewhere = { message_type: '0120', response_code: '05', trace_id: 'elsewhere' } as const;
const in_full = { replacement_amounts: null } as const;
const corrected = { billing_amount: money(30), settlement_amount: null, transaction_amount: money(30) } as const;
const freezing = {
  kind: 'freeze',
  number_index: null,
  frozen: true,
  company_id: 1,
  note: null,
  actor: 'key:1',
  request_id: null,
} as const;
const to_30 = { replacement_amounts: corrected, details: { replacement_amounts: corrected } } as const;

for (const name of database_names) {
  describe(`a company with a say on ${name}`, () => {
    let world: ConsultingWorld;
    let card: number;
    before(async () => {
      world = await ConsultingWorld.open(name, noon_ms);
    });
    beforeEach(() => {
      card = world.nextCard();
    });
    after(() => world?.close());

    async function recordOf(process: Process): Promise<ConsultationRecord> {
      const [record, ...others] = await world.records(process, card);
      assert(record !== undefined && others.length === 0, 'one consultation is kept');
      return record;
    }

    it('approves a request, declines it with P, or approves a part of it with 10', async () => {
      const replies: readonly ClientReply[] = [says.approve, says.decline, says.part(40)];
      const process = await world.process({ ask: ({ item }) => replies[Number(item.trace_id)]! });
      const answers = [];
      for (const at of replies.keys())
        answers.push(await process.network.authorize(request(card, { trace_id: `${at}`, ...partly })));
      assert.deepEqual(answers.map(shown), [
        ['V', '00', null],
        ['P', '05', null],
        ['V', '10', 40],
      ]);
      assert.equal(await world.held(card), 140);
      const records = await world.records(process, card);
      assert.deepEqual(
        records.map(({ outcome, answer, amount, note, stood_in, decline_code }) => [
          outcome,
          answer,
          amount,
          note,
          stood_in,
          decline_code,
        ]),
        [
          ['answered', 'approve', null, null, null, null],
          ['answered', 'decline', null, 'not today', null, 'P'],
          ['answered', 'approve_part', 40, null, null, null],
        ],
      );
    });

    it('is asked about requests that would be approved and have an amount, increments too', async () => {
      const process = await world.process({ ask: () => says.approve });
      const { network, asked } = process;
      const root = request(card, { trace_id: 'root' });
      await network.authorize(root);
      for (const [at, fields] of [
        { message_type: '0120' } as const,
        { card_holder_transaction_type_code: '20' },
        { billing_amount: money(0), merchant_amount: money(0) },
        { billing_amount: money(2_000), merchant_amount: money(2_000) },
        { message_type: '0400', trace_id: 'root', ...to_30 } as const,
      ].entries()) {
        await network.authorize(
          request(card, { trace_id: `other ${at}`, system_trace_audit_number: `${at}`, ...fields }),
        );
      }
      await network.authorize(request(card, { trace_id: 'root', system_trace_audit_number: '9', incremental: true }));
      assert.deepEqual(
        asked.map(({ item }) => [item.trace_id, item.status, item.id, item.decision?.code]),
        [
          ['root', 'open', null, 'V'],
          ['root', 'open', null, 'V'],
        ],
      );
    });

    it('holds up nothing and holds no money while it thinks', async () => {
      const { ask, asked, reply } = held();
      const { network } = await world.process({ ask });
      const answer = network.authorize(request(card));
      await asked;
      assert.equal(await world.held(card), 0);
      const other = await network.authorize(request(card, declined_elsewhere));
      assert(other.kind === 'answered' && !other.fault);
      reply(says.approve);
      assert.deepEqual(shown(await answer), ['V', '00', null]);
    });

    it('is declined by default when its endpoint hangs, and the record shows what stood in', async () => {
      const { ask, asked } = held();
      const process = await world.process({ ask });
      const answer = process.network.authorize(request(card));
      const { respond_by_ms, asked_at_ms } = await asked;
      assert.equal(respond_by_ms - asked_at_ms, 1_500);
      process.timeline.elapse(1_500);
      assert.deepEqual(shown(await answer), ['P', '05', null]);
      const { outcome, ms, stood_in, decline_code } = await recordOf(process);
      assert.deepEqual([outcome, ms, stood_in, decline_code], ['timeout', 1_500, 'default', 'P']);
    });

    it('leaves time for the second decision: a late message is asked about for less long', async () => {
      const { ask, asked } = held();
      const process = await world.process({ ask });
      process.timeline.elapse(3_500);
      const answer = process.network.authorize(request(card), 0);
      const { respond_by_ms, asked_at_ms } = await asked;
      assert.equal(respond_by_ms - asked_at_ms, 500);
      process.timeline.elapse(500);
      assert.deepEqual(shown(await answer), ['P', '05', null]);
    });

    it('is asked for half of the time of a message when messages have little', async () => {
      const process = await world.process({ ask: () => says.approve, decision_ms_max: 800 });
      assert.deepEqual(shown(await process.network.authorize(request(card), 0)), ['V', '00', null]);
      assert.deepEqual(
        process.asked.map(({ respond_by_ms, asked_at_ms }) => respond_by_ms - asked_at_ms),
        [400],
      );
    });

    for (const [lie, reply, allowed] of [
      ['more than what is asked', says.part(101), true],
      ['nothing', says.part(0), true],
      ['less than nothing', says.part(-1), true],
      ['a fraction', says.part(1.5), true],
      ['a part that the message does not allow', says.part(40), false],
    ] as const) {
      it(`has no say when it approves ${lie}`, async () => {
        const process = await world.process({ ask: () => reply, stand_in: approves_small });
        assert.deepEqual(shown(await process.network.authorize(request(card, allowed ? partly : {}))), [
          'V',
          '00',
          null,
        ]);
        const { outcome, answer, stood_in, note } = await recordOf(process);
        assert.deepEqual([outcome, answer, stood_in], ['garbage', 'approve', '1']);
        assert(note !== null);
      });
    }

    it('writes one event for a late answer, and keeps the decision', async () => {
      const { ask, asked, reply } = held();
      const process = await world.process({ ask });
      const answer = process.network.authorize(request(card));
      await asked;
      process.timeline.elapse(1_500);
      assert.deepEqual(shown(await answer), ['P', '05', null]);
      process.timeline.elapse(700);
      reply(says.approve);
      await until(async () => (await world.overridden(card)).length > 0);
      await process.network.drain();
      const { late_answer, late_ms, authorization_id, consultation_id } = await recordOf(process);
      assert.deepEqual([late_answer, late_ms], ['approve', 2_200]);
      assert.deepEqual(await world.overridden(card), [
        {
          consultation_id,
          vcn_id: card,
          authorization_id,
          late: { answer: 'approve', amount: null, ms: 2_200 },
          decided: { answer: 'decline', amount: null, outcome: 'timeout', stood_in: 'default' },
          decline_reason: 'P',
        },
      ]);
      assert.equal(await world.held(card), 0);
    });

    it('does not approve what was reversed meanwhile, and holds what a reversal in part left', async () => {
      for (const [reversal, expected, left] of [
        [in_full, ['U', '96', null], 0],
        [to_30, ['V', '00', null], 30],
      ] as const) {
        const its_card = world.nextCard();
        const { ask, asked, reply } = held();
        const { network } = await world.process({ ask });
        const answer = network.authorize(request(its_card, { trace_id: 'T' }));
        await asked;
        await network.authorize(request(its_card, { message_type: '0400', trace_id: 'T', ...reversal }));
        reply(says.approve);
        assert.deepEqual(shown(await answer), expected);
        assert.equal(await world.held(its_card), left);
      }
    });

    const advice = { message_type: '0120', trace_id: 'T', approval_code: 'ELSEWH' } as const;
    const reversal = { message_type: '0400', trace_id: 'T' } as const;
    const again = { system_trace_audit_number: 'again' } as const;
    for (const [meanwhile, messages, reply, expected] of [
      ['its advice', [advice], says.approve, ['V', '00', 100]],
      ['its advice twice', [advice, advice, { ...advice, ...again }], says.approve, ['V', '00', 100]],
      ['its advice', [advice], says.decline, ['P', '05', 100]],
      ['its advice, then a reversal', [advice, { ...reversal, ...in_full }], says.approve, ['U', '96', 0]],
      ['a reversal, then its advice', [{ ...reversal, ...in_full }, advice], says.approve, ['U', '96', 0]],
      ['its advice, then a reversal in part', [advice, { ...reversal, ...to_30 }], says.approve, ['V', '00', 30]],
      ['an advice of a decline', [{ ...declined_elsewhere, trace_id: 'T' }], says.approve, ['V', '00', 100]],
    ] as const) {
      it(`holds money once when ${meanwhile} arrives before the answer ${reply.answer}`, async () => {
        const { ask, asked, reply: answerWith } = held();
        const process = await world.process({ ask });
        const answer = process.network.authorize(request(card, { trace_id: 'T' }));
        await asked;
        for (const message of messages) await process.network.authorize(request(card, message));
        answerWith(reply);
        const [code, response_code] = shown(await answer);
        assert.deepEqual([code, response_code, await world.held(card)], expected);
        const { authorization_id, outcome } = await recordOf(process);
        assert.deepEqual([authorization_id !== null, outcome], [true, 'answered']);
      });
    }

    for (const [meanwhile, happen, reply, expected] of [
      [
        'its advice',
        ({ network }: Process) => network.authorize(request(card, advice)),
        says.decline,
        { code: 'V', decided: { answer: 'approve', amount: null, outcome: 'overtaken', stood_in: null } },
      ],
      [
        'a freeze',
        ({ network }: Process) => network.freeze({ ...freezing, vcn_id: card }),
        says.approve,
        { code: 'K', decided: { answer: 'decline', amount: null, outcome: 'overtaken', stood_in: null } },
      ],
    ] as const) {
      it(`gets the event of its answer ${reply.answer} that came after ${meanwhile} and the same message again`, async () => {
        const { ask, asked, reply: answerWith } = held();
        const process = await world.process({ ask });
        const answer = process.network.authorize(request(card, { trace_id: 'T' }));
        await asked;
        await happen(process);
        const again = await process.network.authorize(request(card, { trace_id: 'T' }));
        answerWith(reply);
        const { code, decided } = expected;
        assert.deepEqual([shown(again)[0], shown(await answer)[0]], [code, code]);
        const { authorization_id, outcome, late_answer } = await recordOf(process);
        assert.deepEqual([authorization_id !== null, outcome, late_answer], [true, 'overtaken', reply.answer]);
        const told = await world.overridden(card);
        assert.deepEqual(
          told.map((payload) => [payload.authorization_id, payload.decided]),
          [[authorization_id, decided]],
        );
      });
    }

    it('is not asked again about a request whose advice arrived before it came again, after a crash', async () => {
      const lost = held();
      const crashed = await world.process({ ask: lost.ask });
      void crashed.network.authorize(request(card, { trace_id: 'T' }));
      await lost.asked;
      const after = await world.process({ ask: () => says.decline });
      await after.network.authorize(request(card, advice));
      assert.deepEqual(shown(await after.network.authorize(request(card, { trace_id: 'T' }))), ['V', '00', null]);
      assert.deepEqual([after.asked.length, await world.held(card)], [0, 100]);
    });

    it('does not approve on a card that was canceled meanwhile', async () => {
      const { ask, asked, reply } = held();
      const { network } = await world.process({ ask });
      const answer = network.authorize(request(card));
      await asked;
      await world.sql(`update tallystick_virtual_cards set status = 'Canceled' where id = ${card}`);
      reply(says.approve);
      assert.deepEqual(shown(await answer), ['K', '62', null]);
    });

    it('does not approve on a card that was frozen meanwhile', async () => {
      const { ask, asked, reply } = held();
      const { network } = await world.process({ ask });
      const answer = network.authorize(request(card));
      await asked;
      await network.freeze({ ...freezing, vcn_id: card });
      reply(says.approve);
      assert.deepEqual(shown(await answer), ['K', '62', null]);
    });

    it('approves within the limits of the second decision only, and a part counts as what is asked', async () => {
      const { ask, asked, reply } = held();
      const first = await world.process({ ask });
      const answer = first.network.authorize(request(card, partly));
      await asked;
      const other = await world.process({ ask: () => says.approve });
      await other.network.authorize(
        request(card, { trace_id: 'most of it', billing_amount: money(950), merchant_amount: money(950) }),
      );
      reply(says.part(50));
      assert.deepEqual(shown(await answer), ['V', '10', 50]);
      assert.equal(await world.held(card), 1_000);
      const last = await other.network.authorize(request(card, { trace_id: 'last' }));
      assert.deepEqual([shown(last)[0], other.asked.length], ['F', 1]);
    });

    it('approves in the window of the second decision when the clock has moved on', async () => {
      const day_ms = Date.UTC(2026, 4, 20);
      await world.sql(
        `update tallystick_virtual_cards set recurring = 'Daily', window_start_ms = ${day_ms} where id = ${card}`,
      );
      const { ask, asked, reply } = held();
      const { network } = await world.process({ ask });
      const answer = network.authorize(request(card));
      await asked;
      world.clock.now_ms += 86_400_000;
      reply(says.approve);
      assert.deepEqual(shown(await answer), ['V', '00', null]);
      const [row] = await world.sql(
        `select window_start_ms, decided_at_ms from tallystick_authorizations where card_id = ${card}`,
      );
      assert.deepEqual(
        [Number(row?.window_start_ms), Number(row?.decided_at_ms)],
        [Date.UTC(2026, 4, 21), noon_ms + 86_400_000],
      );
    });

    it('has no say any more once its endpoint is removed, but for an answer in hand', async () => {
      let is_removed = true;
      const { ask, asked, reply } = held();
      const process = await world.process({ ask, isRemoved: () => is_removed });
      assert.deepEqual(shown(await process.network.authorize(request(card, { trace_id: 'removed' }))), [
        'V',
        '00',
        null,
      ]);
      assert.equal((await recordOf(process)).outcome, 'removed');
      is_removed = false;
      const answer = process.network.authorize(request(card, { trace_id: 'in hand' }));
      await asked;
      await world.consult(false);
      reply(says.decline);
      assert.deepEqual(shown(await answer), ['P', '05', null]);
      await world.consult(true);
    });

    it('is asked once about a message that comes again meanwhile: both get one answer', async () => {
      const { ask, asked, reply } = held();
      const process = await world.process({ ask });
      const first = process.network.authorize(request(card));
      await asked;
      const second = process.network.authorize(request(card));
      // It is decided after the second message, in whichever pass.
      await process.network.authorize(request(card, declined_elsewhere));
      reply(says.approve);
      const [one, other] = await Promise.all([first, second]);
      assert(one.kind === 'answered' && other.kind === 'answered');
      assert.deepEqual([one.duplicate, other.duplicate], [false, true]);
      assert.deepEqual(other.item, one.item);
      assert.deepEqual([process.asked.length, await world.held(card)], [1, 100]);
    });

    it('counts the first answer when two processes ask about one message, and writes an event for the other', async () => {
      const one = held();
      const other = held();
      const here = await world.process({ ask: one.ask });
      const there = await world.process({ ask: other.ask });
      const first = here.network.authorize(request(card, partly));
      const second = there.network.authorize(request(card, partly));
      assert.equal((await one.asked).id, (await other.asked).id);
      one.reply(says.part(40));
      const answer = await first;
      assert.deepEqual(shown(answer), ['V', '10', 40]);
      other.reply(says.part(70));
      const repeated = await second;
      assert(answer.kind === 'answered' && repeated.kind === 'answered');
      assert.deepEqual([repeated.duplicate, repeated.item], [true, answer.item]);
      assert.deepEqual(
        (await world.overridden(card)).map(({ late, decided }) => [late, decided]),
        [
          [
            { answer: 'approve_part', amount: 70, ms: 0 },
            { answer: 'approve_part', amount: 40, outcome: 'answered', stood_in: null },
          ],
        ],
      );
      assert.equal(await world.held(card), 40);
      assert.equal((await world.records(here, card)).length, 1);
    });

    it('is asked again with the same id after a crash between the two decisions, and nothing is lost', async () => {
      const lost = held();
      const crashed = await world.process({ ask: lost.ask });
      void crashed.network.authorize(request(card));
      const { id } = await lost.asked;
      const after = await world.process({ ask: () => says.approve });
      const open_record = await recordOf(after);
      assert.deepEqual(
        [open_record.consultation_id, open_record.authorization_id, open_record.outcome],
        [id, null, null],
      );
      assert.deepEqual(shown(await after.network.authorize(request(card))), ['V', '00', null]);
      assert.equal(after.asked[0]?.id, id);
      assert.deepEqual([(await recordOf(after)).outcome, await world.held(card)], ['answered', 100]);
      const again = await after.network.authorize(request(card));
      assert.deepEqual([again.kind === 'answered' && again.duplicate, after.asked.length], [true, 1]);
    });

    it('has its stand-in rules answer soon when too many questions are in flight', async () => {
      const { ask, asked, reply } = held();
      const process = await world.process({ ask, bounds: { asked_max: 2 } });
      const first = process.network.authorize(request(card, { trace_id: 'first' }));
      await asked;
      const second = process.network.authorize(request(card, { trace_id: 'second' }));
      await until(() => process.timeline.waiting === 2);
      process.timeline.elapse(250);
      assert.deepEqual(shown(await second), ['P', '05', null]);
      reply(says.approve);
      assert.deepEqual(shown(await first), ['V', '00', null]);
      assert.deepEqual(
        (await world.records(process, card)).map(({ outcome }) => outcome),
        ['answered', 'busy'],
      );
    });

    it('is asked in its turn about a message that can wait, with its whole time-out left', async () => {
      const { ask, asked, reply } = held();
      const process = await world.process({ ask, bounds: { asked_max: 2 } });
      const authorize = (trace_id: string, arrived_ms: number) =>
        process.network.authorize(request(card, { trace_id }), arrived_ms, { is_patient: true });
      const first = authorize('first', 0);
      await asked;
      const second = authorize('second', 0);
      await until(() => process.timeline.waiting === 2);
      process.timeline.elapse(1_000);
      reply(says.approve);
      assert.deepEqual([shown(await first)[0], shown(await second)[0]], ['V', 'V']);
      assert.deepEqual(
        process.asked.map(({ respond_by_ms, asked_at_ms }) => respond_by_ms - asked_at_ms),
        [1_500, 1_500],
      );
    });

    it('has its stand-in rules answer a message that cannot be asked about with its whole time-out', async () => {
      const { ask, asked, reply } = held();
      const process = await world.process({ ask, bounds: { asked_max: 2 } });
      process.timeline.elapse(2_000);
      const first = process.network.authorize(request(card, { trace_id: 'first' }));
      await asked;
      const second = process.network.authorize(request(card, { trace_id: 'second' }), 0, { is_patient: true });
      await until(() => process.timeline.waiting === 2);
      // Its second pass has to begin at 4,000, and its question with a time-out of 1,500 at 2,500.
      process.timeline.elapse(500);
      assert.deepEqual(shown(await second), ['P', '05', null]);
      reply(says.approve);
      assert.equal(shown(await first)[0], 'V');
    });

    it('is heard before the network is drained', async () => {
      const { ask, asked, reply } = held();
      const { network } = await world.process({ ask });
      const answer = network.authorize(request(card));
      await asked;
      const drained = network.drain();
      const refused = await network.authorize(request(card, { trace_id: 'after' }));
      assert(refused.kind === 'answered' && refused.fault);
      reply(says.approve);
      assert.deepEqual(shown(await answer), ['V', '00', null]);
      await drained;
    });

    it('holds the part that it approved, also after the advice of the part', async () => {
      const { network } = await world.process({ ask: () => says.part(40) });
      await network.authorize(request(card, { trace_id: 'T', ...partly }));
      const advice = {
        billing_amount: money(40),
        merchant_amount: money(40),
        message_type: '0120',
        trace_id: 'T',
      } as const;
      await network.authorize(request(card, advice));
      assert.equal(await world.held(card), 40);
    });

    it('never makes a limit exceeded: 50 messages are asked about at once in two processes', async () => {
      const all_asked = Promise.withResolvers<void>();
      let asked = 0;
      const ask = async () => {
        asked += 1;
        if (asked === 50) all_asked.resolve();
        await all_asked.promise;
        return says.approve;
      };
      const processes = [await world.process({ ask }), await world.process({ ask })] as const;
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          processes[at % 2]!.network.authorize(request(card, { trace_id: `T${at}` })),
        ),
      );
      const codes = answers.map((answer) => shown(answer)[0]).sort();
      assert.deepEqual(codes, [...Array(40).fill('F'), ...Array(10).fill('V')]);
      assert.equal(await world.held(card), 1_000);
    });
  });
}
