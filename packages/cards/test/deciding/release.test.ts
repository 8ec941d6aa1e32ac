import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money, Refusal } from '@tallystick/kernel';
import { neighbours_max, type ReleaseAnswer, type ReleaseMessage, readReleaseNote } from '../../src/index.ts';
import { aging, NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';

/** A release of authorization 1 of card 1 by its company. */
function release(change: Partial<ReleaseMessage> = {}): ReleaseMessage {
  return {
    kind: 'release',
    number_index: null,
    vcn_id: 1,
    authorization_id: 1,
    company_id: 7,
    note: 'the merchant closed',
    actor: 'key:9',
    request_id: 'r-1',
    ...change,
  };
}

function send(world: NetworkWorld, change: Partial<ReleaseMessage> = {}): ReleaseAnswer {
  return world.send(release(change))[0] as ReleaseAnswer;
}

function codeOf(answer: ReleaseAnswer): string {
  return answer.kind === 'refused' ? answer.refusal.code : answer.item.status;
}

describe('a release', () => {
  test('ends the hold and keeps the use', () => {
    const world = new NetworkWorld(now);
    world.authorize({ billing_amount: 400 });
    assert.equal(codeOf(send(world)), 'released');
    assert.deepEqual([world.counters.held, world.counters.uses, world.available()], [0, 1, 100_000]);
    const { status, held, uses, authorized, hold_end_ms } = world.row(1);
    assert.deepEqual([status, held, uses, authorized, hold_end_ms], ['released', 0, 1, 400, world.now_ms]);
  });

  test('is an event of the card with its state before, and an audit entry', () => {
    const world = new NetworkWorld(now);
    world.authorize({ billing_amount: 400 });
    send(world);
    const { event_type, payload, previous, company_id, request_id } = world.events.at(-1)!;
    const released = { authorization_id: 1, amount: 400, note: 'the merchant closed' };
    assert.deepEqual([event_type, company_id, request_id], ['virtualcard.updated', 7, 'r-1']);
    assert.deepEqual([payload.id, payload.available_balance, payload.released], [1, 100_000, released]);
    assert.deepEqual([previous?.available_balance, previous?.released], [99_600, undefined]);
    assert.deepEqual(world.state.audit.values(), [
      {
        company_id: 7,
        actor: 'key:9',
        action: 'hold.released',
        object: 'virtualcard:1',
        request_id: 'r-1',
        source_address: null,
        details: released,
        at_ms: world.now_ms,
      },
    ]);
  });

  test('by an operator is for the company of the card', () => {
    const world = new NetworkWorld(now);
    world.authorize();
    assert.equal(codeOf(send(world, { company_id: null })), 'released');
    assert.equal(world.state.audit.values()[0]?.company_id, 7);
  });

  test('of a card or an authorization that is unknown, or of another company or card, is refused', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    world.authorize();
    world.authorize({ card_id: 2 });
    for (const change of [{ vcn_id: 3 }, { company_id: 8 }, { authorization_id: 3 }, { authorization_id: 2 }]) {
      assert.equal(codeOf(send(world, change)), 'not_found', JSON.stringify(change));
    }
    assert.deepEqual([world.row(1).status, world.row(2).status, world.state.audit.size], ['open', 'open', 0]);
  });

  test('of a card of another company is refused in the same words as that of an unknown card', () => {
    const world = new NetworkWorld(now);
    world.authorize();
    const messageOf = (answer: ReleaseAnswer) => (answer.kind === 'refused' ? answer.refusal.message : '');
    assert.equal(messageOf(send(world, { company_id: 8 })), messageOf(send(new NetworkWorld(now, { id: 2 }))));
  });

  test('is refused when nothing is held, in every state', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(10_000), per_transaction_max: money(10_000) });
    const { trace_id } = world.authorize();
    world.authorize({ trace_id, incremental: true });
    world.authorize({ trace_id, message_type_indicator: '0400' });
    world.authorize({ billing_amount: 20_000 });
    world.authorize({ billing_amount: 0 });
    const cleared = world.authorize({ approval_code: null });
    world.clear({ approval_code: cleared.approval_code, merchant_id: null, card_id: 1 });
    const reversed_first = world.authorize({ trace_id: 'never', message_type_indicator: '0420' });
    const events = world.events.length;
    for (const id of [1, 2, 3, 4, 5, reversed_first.id!]) {
      const answer = send(world, { authorization_id: id });
      assert.equal(codeOf(answer), 'conflict', `authorization ${id}`);
      assert(answer.kind === 'refused' && answer.refusal instanceof Refusal);
      assert.match(answer.refusal.message, /^nothing is held: authorization \d+ (is|changed)/);
    }
    assert.deepEqual([world.events.length, world.state.audit.size], [events, 0]);
  });

  test('is refused the second time, also within one pass', () => {
    const world = new NetworkWorld(now);
    world.authorize();
    const answers = world.send(release(), release()) as ReleaseAnswer[];
    assert.deepEqual(answers.map(codeOf), ['released', 'conflict']);
    assert.equal(codeOf(send(world)), 'conflict');
    assert.deepEqual([world.state.audit.size, world.counters.held], [1, 0]);
  });

  test('is refused once the hold has ended by itself', () => {
    const world = new NetworkWorld(now, aging);
    world.authorize();
    world.now = '2026-12-01T00:00:00Z';
    assert.equal(codeOf(send(world)), 'conflict');
    assert.equal(world.row(1).status, 'expired');
  });

  test('takes the rest of a hold that was cleared in part', () => {
    const world = new NetworkWorld(now);
    const { approval_code } = world.authorize({ billing_amount: 1_000, merchant_id: 'M' });
    world.clear({ billing_amount: 300, approval_code, merchant_id: 'M', partial: true });
    assert.equal(codeOf(send(world)), 'released');
    assert.deepEqual([world.counters.held, world.counters.cleared, world.row(1).cleared], [0, 300, 300]);
  });

  test('makes an earlier part late that settles after it, and stays a release beside it', () => {
    const world = new NetworkWorld(now);
    const { approval_code } = world.authorize({ merchant_id: 'M' });
    const part = { approval_code, merchant_id: 'M', partial: true, settlement_date: '2026-11-25' } as const;
    const cleared = world.clear({ ...part, billing_amount: 300 });
    assert.equal(cleared.class, 'partial');
    send(world);
    assert.equal(world.clearing(cleared.id).class, 'late');
    const { status, held, cleared: sum, uses } = world.row(1);
    assert.deepEqual([status, held, sum, uses], ['released', 0, 300, 1]);
    assert.deepEqual(
      world.state.audit.values().map(({ action }) => action),
      ['clearing.rematched', 'hold.released'],
    );
  });

  test('takes a hold with its increments', () => {
    const world = new NetworkWorld(now);
    const { trace_id } = world.authorize({ billing_amount: 100 });
    world.authorize({ billing_amount: 50, trace_id, incremental: true });
    send(world);
    assert.equal(world.counters.held, 0);
    assert.deepEqual(world.events.at(-1)?.payload.released, {
      authorization_id: 1,
      amount: 150,
      note: 'the merchant closed',
    });
  });

  test('leaves the next end of the holds that stay', () => {
    const world = new NetworkWorld(now, aging);
    world.authorize({ billing_amount: 100 });
    world.now = '2026-11-22T12:00:00Z';
    world.authorize({ billing_amount: 200 });
    send(world);
    world.now = '2026-11-29T05:00:01Z';
    world.authorize({ billing_amount: 1 });
    assert.deepEqual([world.row(1).status, world.row(2).status, world.counters.held], ['released', 'expired', 1]);
  });
});

describe('after a release', () => {
  test('a clearing finds the authorization and is late', () => {
    const world = new NetworkWorld(now);
    const { approval_code, net_reference_number } = world.authorize({ net_reference_number: 'MCCABC1231121' });
    send(world);
    const clearing = world.clear({ net_reference_number, approval_code });
    assert.deepEqual([clearing.authorization_id, clearing.match_rule, clearing.class], [1, 3, 'late']);
    assert.deepEqual([world.row(1).status, world.row(1).cleared], ['cleared', 1_000]);
    assert.deepEqual([world.counters.cleared, world.counters.held, world.counters.uses], [1_000, 0, 1]);
  });

  test('a clearing of a part is late, and so is the next', () => {
    const world = new NetworkWorld(now);
    const { approval_code, net_reference_number } = world.authorize({ net_reference_number: 'MCCABC1231121' });
    send(world);
    const part = { net_reference_number, approval_code, billing_amount: 400 };
    assert.equal(world.clear({ ...part, partial: true }).class, 'late');
    assert.equal(codeOf(send(world)), 'conflict');
    assert.equal(world.clear({ ...part, billing_amount: 600 }).class, 'late');
    assert.deepEqual([world.counters.cleared, world.counters.uses], [1_000, 1]);
  });

  test('a reversal in full keeps the status, and gives the use back', () => {
    const world = new NetworkWorld(now);
    const { trace_id } = world.authorize();
    send(world);
    world.authorize({ trace_id, message_type_indicator: '0400' });
    assert.deepEqual([world.row(1).status, world.row(1).uses, world.counters.uses], ['released', 0, 0]);
  });

  test('gives the use back after a late full reversal also when a credit came, because none of it was paid', () => {
    const world = new NetworkWorld(now);
    const reference = { net_reference_number: 'MCCABC1231121' };
    world.authorize({ ...reference, trace_id: 't', billing_amount: 400 });
    send(world);
    world.clear({ ...reference, clearing_type: 'CREDIT', billing_amount: 100 });
    world.authorize({ trace_id: 't', message_type_indicator: '0400' });
    assert.deepEqual([world.row(1).status, world.row(1).cleared, world.row(1).uses], ['released', -100, 0]);
  });

  test('a reversal in full keeps the use of what was cleared in part', () => {
    const world = new NetworkWorld(now);
    const { trace_id, approval_code } = world.authorize({ merchant_id: 'M' });
    world.clear({ billing_amount: 300, approval_code, merchant_id: 'M', partial: true });
    send(world);
    world.authorize({ trace_id, message_type_indicator: '0400' });
    assert.deepEqual([world.row(1).status, world.counters.uses, world.counters.cleared], ['released', 1, 300]);
  });

  test('a reversal in full keeps the status of what was cleared in part before and after, on a card of any size', () => {
    const world = new NetworkWorld(now);
    const shop = { merchant_id: 'M', net_reference_number: 'MCCABC1231121' };
    const { trace_id } = world.authorize(shop);
    const part = { ...shop, billing_amount: 300, partial: true };
    world.clear(part);
    const others = { merchant_id: 'M', billing_amount: 2_000 };
    world.send(...Array.from({ length: neighbours_max }, () => world.clearingMessage(others)));
    send(world);
    world.clear(part);
    world.authorize({ trace_id, message_type_indicator: '0400' });
    assert.deepEqual([world.row(1).status, world.row(1).cleared], ['partially_cleared', 600]);
  });

  test('an increment is an authorization of its own', () => {
    const world = new NetworkWorld(now);
    const { trace_id } = world.authorize();
    send(world);
    const { id } = world.authorize({ trace_id, incremental: true });
    assert.deepEqual([world.row(id!).root_id, world.counters.uses], [id, 2]);
  });
});

describe('the note of a release', () => {
  test('is text of at most 500 characters, and card numbers in it are masked', () => {
    assert.equal(readReleaseNote({ note: ' Größe 😀 ' }), 'Größe 😀');
    const longest = 'x'.repeat(500);
    assert.equal(readReleaseNote({ note: longest }), longest);
    const longest_of_pairs = '😀'.repeat(500);
    assert.equal(readReleaseNote({ note: longest_of_pairs }), longest_of_pairs);
    assert.ok(!readReleaseNote({ note: 'of 5555 5555 5555 4444' }).includes('5555 4444'));
    for (const note of [undefined, null, '', '  ', 5, `${longest}x`, 'a\0b', '\ud83d']) {
      assert.throws(
        () => readReleaseNote({ note }),
        (error) => error instanceof Refusal && error.fields[0]?.path === 'note',
      );
    }
  });
});
