import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import type { AuthorizationInput, AuthorizationMessage, NetworkAnswer, Say } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';

const trace = { trace_id: 'T', billing_amount: 300, net_reference_number: 'MCCABC1231120' } as const;
const advice = { ...trace, message_type_indicator: '0120', approval_code: 'ELSEWH' } as const;
const part = { billing_amount: 100, settlement_amount: null, transaction_amount: 100 };

/** What may happen while the company is asked about the request. */
const happenings = {
  advice: (world) => world.authorize({ ...advice, system_trace_audit_number: '900000' }),
  'another advice': (world) => world.authorize({ ...advice, system_trace_audit_number: '900001' }),
  'reversal in full': (world, at) =>
    world.authorize({ ...trace, message_type_indicator: '0400', system_trace_audit_number: `8${at}` }),
  'reversal in part': (world, at) =>
    world.authorize({
      ...trace,
      message_type_indicator: '0400',
      system_trace_audit_number: `8${at}`,
      replacement_amounts: part,
    }),
  clearing: (world) => world.clear({ net_reference_number: trace.net_reference_number, billing_amount: 300 }),
} as const satisfies Record<string, (world: NetworkWorld, at: number) => unknown>;

type Happening = keyof typeof happenings;

function sayOf(answer: Say['answer']): Say {
  const how = { by: 'client', note: null, outcome: 'answered', respond_by_ms: null, ms: null, stood_in: null } as const;
  return { ...how, consultation_id: 'dec_1', answer, amount: null };
}

function askedWorld() {
  const world = new NetworkWorld('2026-11-21T12:00:00Z', { endpoint_version: 1 });
  const request = world.message(trace);
  return { world, request };
}

function decide(world: NetworkWorld, request: AuthorizationMessage, answer: Say['answer']) {
  const answered = world.send({ ...request, say: sayOf(answer) })[0] as NetworkAnswer;
  assert(answered.kind === 'answered' && 'code' in answered);
  return answered;
}

function happen(world: NetworkWorld, all: readonly Happening[]): void {
  for (const [at, one] of all.entries()) happenings[one](world, at);
}

function left({ counters: { held, cleared, uses } }: NetworkWorld) {
  return { held, cleared, uses };
}

describe('a request whose company is asked, and its advice', () => {
  test('hold money once, whatever comes between the question and the answer', () => {
    const between = fc
      .array(fc.constantFrom(...(Object.keys(happenings) as Happening[])), { maxLength: 4 })
      // A second clearing is a purchase of its own, and a reversal counts for one original only.
      .filter((all) => all.indexOf('clearing') === all.lastIndexOf('clearing'))
      .filter((all) => !(all.includes('reversal in full') && all.includes('another advice')));
    fc.assert(
      fc.property(between, fc.boolean(), (all, is_lost) => {
        const { world, request } = askedWorld();
        assert.equal(world.send(request)[0]?.kind, 'consult');
        happen(world, all);
        // After a crash the request comes again. It is asked about unless its approval is known.
        if (!is_lost || world.send(request)[0]?.kind === 'consult') decide(world, request, 'approve');

        const first = askedWorld();
        decide(first.world, first.request, 'approve');
        happen(first.world, all);
        assert.deepEqual(left(world), left(first.world));
      }),
      propertyParameters({ short: 300, full: 3_000 }),
    );
  });

  for (const [all, answer, expected] of [
    [['advice'], 'approve', ['V', 'ELSEWH', 300]],
    [['advice', 'advice', 'another advice'], 'approve', ['V', 'ELSEWH', 300]],
    [['advice', 'reversal in part'], 'approve', ['V', 'ELSEWH', 100]],
    [['advice', 'reversal in full'], 'approve', ['U', null, 0]],
    [['reversal in full', 'advice'], 'approve', ['U', null, 0]],
    [['reversal in part', 'advice'], 'approve', ['V', 'ELSEWH', 100]],
    [['advice', 'clearing'], 'approve', ['V', 'ELSEWH', 0]],
    // The approval elsewhere stands, and the network gets what the company said.
    [['advice'], 'decline', ['P', null, 300]],
  ] as const satisfies readonly (readonly [readonly Happening[], Say['answer'], readonly unknown[]])[]) {
    test(`after ${all.join(', ')}, the answer ${answer} leaves ${expected[2]} held with the code ${expected[0]}`, () => {
      const { world, request } = askedWorld();
      world.send(request);
      happen(world, all);
      const { code, approval_code } = decide(world, request, answer);
      assert.deepEqual([code, approval_code, world.counters.held], expected);
    });
  }

  test('leave the second request with the trace id a purchase of its own', () => {
    const { world, request } = askedWorld();
    world.send(request);
    happen(world, ['advice']);
    decide(world, request, 'approve');
    decide(world, world.message(trace), 'approve');
    assert.deepEqual(left(world), { held: 600, cleared: 0, uses: 2 });
  });

  test('are two purchases when the advice is of an increment', () => {
    const { world, request } = askedWorld();
    world.send(request);
    world.authorize({ ...advice, incremental: true });
    decide(world, request, 'approve');
    assert.equal(world.counters.held, 600);
  });

  test('are a purchase and its increment when the request is one', () => {
    const { world } = askedWorld();
    world.authorize(advice);
    decide(world, world.message({ ...trace, incremental: true }), 'approve');
    assert.deepEqual(left(world), { held: 600, cleared: 0, uses: 1 });
  });

  test('are declined for the company, also where the advice broke a limit', () => {
    const world = new NetworkWorld('2026-11-21T12:00:00Z', { endpoint_version: 1, per_transaction_max: money(100) });
    const request = world.message(trace);
    world.authorize(advice);
    assert.deepEqual([decide(world, request, 'decline').code, world.counters.held], ['P', 300]);
  });

  test('leave the clearing of another reference as it was', () => {
    const { world, request } = askedWorld();
    world.authorize({ ...advice, net_reference_number: null });
    const { id } = world.clear({ net_reference_number: trace.net_reference_number, billing_amount: 300 });
    const before = world.clearing(id);
    assert.equal(decide(world, request, 'approve').code, 'V');
    assert.deepEqual([world.clearing(id), left(world)], [before, { held: 300, cleared: 300, uses: 2 }]);
  });

  for (const [input, card, expected] of [
    [{ billing_amount: 1_500 }, { total_card_amount: 1_000 }, 'F'],
    [{ billing_amount: 900 }, { total_card_amount: 1_000 }, 'V'],
    [{ mcc: '7995' }, { template: { mcc_rule: 'DENY', mcc_list: ['7995'], merchant_controls: null, version: 1 } }, 'J'],
  ] as const) {
    test(`meet the limits with what the request asks beyond the advice: ${expected}, ${JSON.stringify(input)}`, () => {
      const world = new NetworkWorld('2026-11-21T12:00:00Z', { endpoint_version: 1, ...(card as object) });
      const request = world.message({ ...trace, ...(input as Partial<AuthorizationInput>) });
      world.authorize(advice);
      assert.equal(decide(world, request, 'approve').code, expected);
      assert.equal(world.counters.held, 300);
    });
  }
});
