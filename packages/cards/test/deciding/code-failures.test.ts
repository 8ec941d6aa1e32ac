import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type AuthorizationInput, code_failures_max, countedCodeFailures, foldMessages } from '../../src/index.ts';
import { type CardSketch, NetworkWorld, plain_quarantine, right_cvc, vault } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const wrong: Partial<AuthorizationInput> = { cvc: '999' };
const right: Partial<AuthorizationInput> = { cvc: right_cvc };

/** Declines of codes elsewhere, reversals and increments: messages whose answer shows no code. */
const silent: readonly Partial<AuthorizationInput>[] = [
  { message_type_indicator: '0120', response_code: '05' },
  { message_type_indicator: '0400' },
  { message_type_indicator: '0420' },
  { expiry: '2001-01' },
];

function guess(world: NetworkWorld, count: number, message: Partial<AuthorizationInput> = wrong): void {
  for (let at = 0; at < count; at += 1) world.authorize(message);
}

function failuresOf(world: NetworkWorld) {
  const { code_failures, code_failures_on } = world.counters;
  return [code_failures, code_failures_on];
}

describe('after 10 wrong codes in a UTC day', () => {
  test('every code is C, also the right one, and a message without a code is decided as before', () => {
    const world = new NetworkWorld(now);
    guess(world, code_failures_max - 1);
    assert.equal(world.authorize(right).decline_reason, null);
    guess(world, 1);
    assert.equal(world.authorize(right).decline_reason, 'C');
    assert.equal(world.authorize(wrong).decline_reason, 'C');
    assert.equal(world.authorize().decline_reason, null);
    assert.deepEqual(failuresOf(world), [10, '2026-11-21']);
  });

  test('the reason that an advice broke is C, too', () => {
    const world = new NetworkWorld(now);
    const advice = { ...right, message_type_indicator: '0120' };
    assert.equal(world.authorize(advice).broken_reason, null);
    guess(world, code_failures_max, { ...wrong, message_type_indicator: '0120' });
    assert.equal(world.authorize(advice).broken_reason, 'C');
    const known = world.authorize();
    assert.equal(world.authorize({ ...advice, trace_id: known.trace_id }).broken_reason, 'C', 'of our decision');
  });

  test('no code is compared any more, so that its time shows nothing', () => {
    const world = new NetworkWorld(now);
    guess(world, code_failures_max);
    let compared = 0;
    const counting = { ...vault, cvcMatches: () => ++compared > 0 };
    const message = world.message(right);
    const ports = { vault: counting, random: world.random, ...plain_quarantine };
    world.ledger.passNow([message], (state) => foldMessages(state, [message], ports));
    assert.equal(compared, 0);
  });

  test('the next day begins without failures, at midnight UTC', () => {
    const world = new NetworkWorld(now);
    guess(world, code_failures_max);
    world.now = '2026-11-21T23:59:59.999Z';
    assert.equal(world.authorize(right).decline_reason, 'C');
    world.now = '2026-11-22T00:00:00Z';
    assert.equal(world.authorize(right).decline_reason, null);
    guess(world, 1);
    assert.deepEqual(failuresOf(world), [1, '2026-11-22']);
  });

  test('a machine whose clock is behind counts on the later day', () => {
    const world = new NetworkWorld('2026-11-22T00:00:00Z');
    guess(world, 5);
    world.now = '2026-11-21T23:59:59Z';
    guess(world, 5);
    assert.equal(world.authorize(right).decline_reason, 'C');
    assert.deepEqual(failuresOf(world), [10, '2026-11-22']);
  });

  test('another card is not affected', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    guess(world, code_failures_max);
    assert.equal(world.authorize({ ...right, card_id: 2 }).decline_reason, null);
  });
});

describe('a wrong code counts', () => {
  for (const message of silent) {
    test(`in a message whose answer does not show it: ${JSON.stringify(message)}`, () => {
      const world = new NetworkWorld(now);
      guess(world, code_failures_max, { ...wrong, ...message });
      assert.equal(world.authorize(right).decline_reason, 'C');
    });
  }

  const declined: readonly [reason: string, card: CardSketch][] = [
    ['K', { status: 'Canceled' }],
    ['B', { expiry: '2026-10' }],
    ['U', {}],
  ];
  for (const [reason, card] of declined) {
    test(`in a message that is declined for ${reason}, and the right code does not`, () => {
      const world = new NetworkWorld(now, card);
      if (reason === 'U') world.authorize({ message_type_indicator: '0400', trace_id: 'reversed' });
      const trace = reason === 'U' ? { trace_id: 'reversed' } : {};
      assert.equal(world.authorize({ ...wrong, ...trace }).decline_reason, reason);
      world.authorize(right);
      assert.deepEqual(failuresOf(world), [1, '2026-11-21']);
    });
  }

  test('once in repeated messages, and a repeat with another code gets the first answer', () => {
    const world = new NetworkWorld(now);
    const first = world.input({ ...wrong, billing_amount: 0 });
    for (const cvc of ['999', right_cvc, '998', '997']) {
      assert.equal(world.authorize({ ...first, cvc }).decline_reason, 'C', cvc);
    }
    assert.deepEqual(failuresOf(world), [1, '2026-11-21']);
  });

  test('not in a refused message, which shows nothing', () => {
    const world = new NetworkWorld(now, { currency: 'EUR' });
    const [answer] = world.send(world.message({ ...wrong, billing_currency: 'EUR' }));
    assert.equal(answer?.kind, 'refused');
    assert.deepEqual(failuresOf(world), [0, null]);
  });
});

describe('the tenth wrong code', () => {
  test('writes virtualcard.updated with code_failures once', () => {
    const world = new NetworkWorld(now);
    guess(world, code_failures_max + 3);
    const updates = world.events.filter(({ event_type }) => event_type === 'virtualcard.updated');
    assert.equal(updates.length, 1);
    const [{ payload, previous, company_id, created_at_ms }] = updates as [(typeof updates)[0]];
    assert.deepEqual([payload.id, payload.status, payload.code_failures], [1, 'Approved', 10]);
    assert.deepEqual([previous?.code_failures, company_id, created_at_ms], [9, 7, world.now_ms]);
    assert.equal(world.events.length, code_failures_max + 3 + 1);
  });

  test('is found however the guesses are split over passes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }), (sizes) => {
        const world = new NetworkWorld(now);
        let evaluated = 0;
        let reported = 0;
        const counting = { ...vault, cvcMatches: () => ++evaluated < 0 };
        for (const size of sizes) {
          const messages = Array.from({ length: size }, () => world.message(wrong));
          world.ledger.passNow(messages, (state) => {
            const ports = { vault: counting, random: world.random, ...plain_quarantine };
            const folded = foldMessages(state, messages, ports);
            const { failures, lockouts } = countedCodeFailures(state, folded.changes);
            reported += failures + 100 * lockouts;
            return folded;
          });
        }
        const sent = sizes.reduce((sum, size) => sum + size, 0);
        const counted = Math.min(sent, code_failures_max);
        assert.equal(evaluated, counted);
        assert.equal(reported, counted + (sent >= code_failures_max ? 100 : 0));
        assert.deepEqual(failuresOf(world), [counted, '2026-11-21']);
      }),
      propertyParameters(),
    );
  });
});
