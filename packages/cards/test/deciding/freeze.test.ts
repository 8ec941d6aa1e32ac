import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { type AuthorizationAnswer, type FreezeAnswer, type FreezeMessage, readFreezeNote } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';

/** A freeze of card 1 by its company. */
function freeze(change: Partial<FreezeMessage> = {}): FreezeMessage {
  return {
    kind: 'freeze',
    number_index: null,
    vcn_id: 1,
    frozen: true,
    company_id: 7,
    note: 'the phone was lost',
    actor: 'key:9',
    request_id: 'r-1',
    ...change,
  };
}

function send(world: NetworkWorld, change: Partial<FreezeMessage> = {}): FreezeAnswer {
  return world.send(freeze(change))[0] as FreezeAnswer;
}

function codeOf(answer: FreezeAnswer | AuthorizationAnswer): string {
  if (answer.kind === 'refused') return answer.refusal.code;
  return 'code' in answer ? answer.code : 'answered';
}

describe('a freeze', () => {
  test('makes the card decline requests until it ends', () => {
    const world = new NetworkWorld(now);
    assert.deepEqual(send(world), { kind: 'answered', company_id: 7 });
    const declined = world.authorize();
    assert.deepEqual([declined.decline_reason, declined.response_code], ['K', '62']);
    assert.equal(world.authorize({ billing_amount: 0 }).decline_reason, 'K');
    send(world, { frozen: false });
    assert.equal(world.authorize().response_code, '00');
  });

  test('counts from its place among the messages of a pass', () => {
    const world = new NetworkWorld(now);
    const request = () => world.message();
    const answers = world.send(request(), freeze(), request(), freeze({ frozen: false }), request());
    assert.deepEqual(
      answers.map((answer) => codeOf(answer as FreezeAnswer)),
      ['V', 'answered', 'K', 'answered', 'V'],
    );
    assert.equal(world.card().frozen_at_ms, null);
  });

  test('lets advices, reversals, refunds and clearings go on', () => {
    const world = new NetworkWorld(now);
    const held = world.authorize({ merchant_id: 'M', billing_amount: 400 });
    world.authorize({ trace_id: 'reversed', billing_amount: 300 });
    send(world);
    assert.equal(world.authorize({ message_type_indicator: '0120', billing_amount: 50 }).response_code, '00');
    assert.equal(world.authorize({ card_holder_transaction_type_code: '20' }).response_code, '00');
    world.authorize({ trace_id: 'reversed', message_type_indicator: '0400' });
    assert.equal(
      world.clear({ approval_code: held.approval_code, merchant_id: 'M', billing_amount: 400 }).authorization_id,
      held.id,
    );
    assert.deepEqual([world.counters.held, world.counters.cleared], [50, 400]);
  });

  test('declines an increment of an authorization from before it', () => {
    const world = new NetworkWorld(now);
    const { trace_id } = world.authorize();
    send(world);
    assert.equal(world.authorize({ trace_id, incremental: true }).decline_reason, 'K');
  });

  test('leaves the holds, which end as they would', () => {
    const world = new NetworkWorld(now, { hold_days: 7 });
    world.authorize({ billing_amount: 400 });
    send(world);
    assert.deepEqual([world.counters.held, world.row(1).status], [400, 'open']);
    world.now = '2026-11-29T00:00:00Z';
    send(world, { frozen: false });
    assert.deepEqual([world.counters.held, world.row(1).status], [0, 'expired']);
  });

  test('is an event of the card with its state before, and an audit entry', () => {
    const world = new NetworkWorld(now);
    send(world);
    const { event_type, payload, previous, company_id, request_id } = world.events.at(-1)!;
    assert.deepEqual([event_type, company_id, request_id], ['virtualcard.updated', 7, 'r-1']);
    const frozen = { frozen: true, frozen_at: '2026-11-21T12:00:00.000Z' };
    assert.deepEqual(payload, { ...previous, ...frozen, note: 'the phone was lost' });
    assert.deepEqual([previous?.id, previous?.frozen, previous?.frozen_at], [1, false, null]);
    send(world, { frozen: false, note: null });
    const last = world.events.at(-1)!;
    assert.deepEqual(last.payload, { ...last.previous, frozen: false, frozen_at: null, note: null });
    assert.deepEqual(
      world.state.audit.values().map(({ action, object, details }) => [action, object, details]),
      [
        ['card.frozen', 'virtualcard:1', { note: 'the phone was lost' }],
        ['card.unfrozen', 'virtualcard:1', { note: null }],
      ],
    );
  });

  test('is a change of the controls, whose state before is kept', () => {
    const world = new NetworkWorld(now);
    world.send(freeze(), freeze({ frozen: false, actor: 'operator' }), world.message());
    assert.equal(world.card().controls_version, 3);
    assert.deepEqual(
      [...world.state.card_versions.values()].map(({ version, ended_by, state }) => [
        version,
        ended_by,
        state.frozen_at_ms,
      ]),
      [
        [1, 'key:9', null],
        [2, 'operator', Date.parse(now)],
      ],
    );
    assert.equal(world.row(1).facts?.[0], 3);
  });

  test('that repeats what is so changes nothing', () => {
    const world = new NetworkWorld(now);
    assert.equal(codeOf(send(world, { frozen: false })), 'answered');
    send(world);
    world.now = '2026-11-22T12:00:00Z';
    world.send(freeze(), freeze({ note: 'again' }));
    assert.deepEqual([world.events.length, world.state.audit.size], [1, 1]);
    assert.equal(world.card().frozen_at_ms, Date.parse(now));
  });

  test('by an operator is for the company of the card', () => {
    const world = new NetworkWorld(now);
    assert.equal(codeOf(send(world, { company_id: null })), 'answered');
    assert.equal(world.state.audit.values()[0]?.company_id, 7);
  });

  test('of a card that is unknown or of another company is refused in the same words', () => {
    const world = new NetworkWorld(now);
    const messageOf = (answer: FreezeAnswer) => (answer.kind === 'refused' ? answer.refusal.message : '');
    assert.equal(codeOf(send(world, { company_id: 8 })), 'not_found');
    assert.equal(messageOf(send(world, { company_id: 8 })), messageOf(send(new NetworkWorld(now, { id: 2 }))));
    assert.equal(world.card().frozen_at_ms, null);
  });

  test('of a Canceled card is refused, and so is its end', () => {
    for (const frozen_at_ms of [null, 5]) {
      const world = new NetworkWorld(now, { status: 'Canceled', frozen_at_ms });
      for (const frozen of [true, false]) assert.equal(codeOf(send(world, { frozen })), 'conflict');
      assert.deepEqual([world.card().frozen_at_ms, world.events.length], [frozen_at_ms, 0]);
    }
  });
});

test('the note of a freeze is optional text of at most 500 characters, and card numbers in it are masked', () => {
  for (const note of [undefined, null]) assert.equal(readFreezeNote({ note }), null);
  assert.equal(readFreezeNote({ note: ' lost ' }), 'lost');
  assert.ok(!readFreezeNote({ note: 'of 5555 5555 5555 4444' })?.includes('5555 4444'));
  for (const note of ['', '  ', 5, 'x'.repeat(501), 'a\0b']) {
    assert.throws(
      () => readFreezeNote({ note }),
      (error) => error instanceof Refusal && error.fields[0]?.path === 'note',
    );
  }
});
