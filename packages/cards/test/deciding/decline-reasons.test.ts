import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import type { MerchantControls } from '@tallystick/templates';
import { expiryInstant } from '../../src/deciding/decline-reasons.ts';
import {
  type AuthorizationAnswer,
  type AuthorizationInput,
  decline_codes,
  reasons,
  type Say,
} from '../../src/index.ts';
import { type CardSketch, itemOf, ms, NetworkWorld, no_counters, numberOf, right_cvc } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';

const no_controls: MerchantControls = { merchant_ids: null, merchant_names: null, countries: null, card_present: null };

/**
 * For each reason, a card and a message to which it applies; sketches of two reasons can be
 * combined.
 */
const cases: readonly {
  readonly code: string;
  readonly vcn_response: string;
  readonly response_code: string;
  readonly card?: CardSketch;
  readonly message?: Partial<AuthorizationInput>;
  readonly say?: Say;
}[] = [
  {
    code: 'I',
    vcn_response: 'Bad VCN-RCN mapping',
    response_code: '14',
    message: { card_number: numberOf(999) },
  },
  { code: 'K', vcn_response: 'Database status bad', response_code: '62', card: { status: 'Canceled' } },
  { code: 'A', vcn_response: 'Expiry date mismatch', response_code: '54', message: { expiry: '2029-01' } },
  { code: 'B', vcn_response: 'VCN expired', response_code: '54', card: { expiry: '2026-10' } },
  { code: 'C', vcn_response: 'CVC2 mismatch', response_code: '63', message: { cvc: '999' } },
  {
    code: 'D',
    vcn_response: 'Validity period limit',
    response_code: '57',
    card: { valid_starting_on: '2026-11-22' },
  },
  {
    code: 'M',
    vcn_response: 'Transaction type restriction',
    response_code: '57',
    card: { currency: 'EUR' },
    message: { merchant_currency: 'GBP' },
  },
  {
    code: 'J',
    vcn_response: 'MCC limit',
    response_code: '57',
    card: { template: { mcc_rule: 'DENY', mcc_list: ['5812'], merchant_controls: null, version: 1 } },
  },
  {
    code: 'H',
    vcn_response: 'Merchant ID limit',
    response_code: '57',
    card: { merchant_controls: { ...no_controls, merchant_ids: { allow: ['M1'], deny: null } } },
    message: { merchant_id: 'M2' },
  },
  {
    code: 'L',
    vcn_response: 'Geographic restriction',
    response_code: '57',
    card: { merchant_controls: { ...no_controls, countries: { allow: null, deny: ['FRA'] } } },
    message: { merchant_country: 'FR' },
  },
  {
    code: 'N',
    vcn_response: 'Card presence restriction',
    response_code: '57',
    card: { merchant_controls: { ...no_controls, card_present: 'required' } },
  },
  {
    code: 'E',
    vcn_response: 'Transaction amount limit',
    response_code: '61',
    card: { per_transaction_max: money(999) },
  },
  {
    code: 'G',
    vcn_response: 'Transaction number usage',
    response_code: '65',
    card: { transactions_max: 2, counters: { ...no_counters, uses: 2 } },
  },
  {
    code: 'F',
    vcn_response: 'Cumulative amount limit',
    response_code: '61',
    card: { total_card_amount: money(999) },
  },
  {
    code: 'P',
    vcn_response: 'Declined by the client',
    response_code: '05',
    say: {
      consultation_id: 'dec_1',
      answer: 'decline',
      amount: null,
      by: 'client',
      note: null,
      outcome: 'answered',
      respond_by_ms: 0,
      ms: 1,
      stood_in: null,
    },
  },
];

function decide(card: CardSketch, input: Partial<AuthorizationInput>, say?: Say) {
  const world = new NetworkWorld(now, card);
  return itemOf(world.send({ ...world.message(input), say })[0] as AuthorizationAnswer);
}

describe('the ordered reasons', () => {
  test('are the reasons of the table, in its order', () => {
    const table = reasons.map(({ code, vcn_response, response_code }) => ({ code, vcn_response, response_code }));
    assert.deepEqual(
      table,
      cases.map(({ code, vcn_response, response_code }) => ({ code, vcn_response, response_code })),
    );
  });

  test('have the codes of the document, in its order; U is not a reason of the card', () => {
    assert.deepEqual([...reasons.map(({ code }) => code), 'U'], decline_codes);
  });

  for (const { code, vcn_response, response_code, card = {}, message = {}, say } of cases) {
    test(`${code}: ${vcn_response} declines with ${response_code}`, () => {
      const item = decide(card, message, say);
      assert.equal(item.decline_reason, code);
      assert.equal(item.vcn_response, vcn_response);
      assert.equal(item.response_code, response_code);
      assert.equal(item.issuer_response, 'Declined');
      assert.equal(item.status, 'declined');
      assert.equal(item.approval_code, null);
    });
  }

  for (const [index, earlier] of cases.slice(0, -1).entries()) {
    const later = cases[index + 1]!;
    test(`${earlier.code} comes before ${later.code}`, () => {
      const item = decide({ ...later.card, ...earlier.card }, { ...later.message, ...earlier.message }, later.say);
      assert.equal(item.decline_reason, earlier.code);
    });
  }

  for (const { code, card = {}, message = {}, say } of cases) {
    const limits = ['E', 'G', 'F'].includes(code);
    test(`${code} ${limits ? 'does not apply' : 'applies'} to a refund`, () => {
      const item = decide(card, { ...message, card_holder_transaction_type_code: '20' }, say);
      assert.equal(item.decline_reason, limits ? null : code);
    });
  }

  test('approve a message to which none of them applies', () => {
    const item = decide({}, { expiry: '2028-11', cvc: right_cvc });
    assert.equal(item.decline_reason, null);
    assert.equal(item.vcn_response, 'Valid');
    assert.equal(item.issuer_response, 'Approved');
    assert.equal(item.response_code, '00');
    assert.match(item.approval_code ?? '', /^[0-9A-Z]{6}$/);
    assert.equal(item.status, 'open');
  });
});

test('every card of a closed company declines K, also a refund', () => {
  for (const message of [{}, { card_holder_transaction_type_code: '20' }]) {
    const item = decide({ company_status: 'closed' }, message);
    assert.deepEqual([item.decline_reason, item.vcn_response, item.response_code], ['K', 'Database status bad', '62']);
  }
  assert.equal(decide({ company_status: 'active' }, {}).decline_reason, null);
});

describe('the expiry', () => {
  test('takes effect on the last day of its month at 23:59:59 UTC', () => {
    assert.equal(expiryInstant('2028-02'), ms('2028-02-29T23:59:59Z'));
    assert.equal(expiryInstant('2026-12'), ms('2026-12-31T23:59:59Z'));
  });

  for (const [at, code] of [
    ['2026-11-30T23:59:59Z', null],
    ['2026-11-30T23:59:59.001Z', 'B'],
  ] as const) {
    test(`${code === null ? 'allows' : 'declines'} at ${at}`, () => {
      const world = new NetworkWorld(at, { expiry: '2026-11', valid_ending_on: '2026-11-30' });
      assert.equal(world.authorize().decline_reason, code);
    });
  }
});

describe('the validity period', () => {
  const period = { valid_starting_on: '2026-11-21', valid_ending_on: '2026-11-22' };
  for (const [at, code] of [
    ['2026-11-20T23:59:59.999Z', 'D'],
    ['2026-11-21T00:00:00Z', null],
    ['2026-11-22T23:59:59.999Z', null],
    ['2026-11-23T00:00:00Z', 'D'],
  ] as const) {
    test(`${code === null ? 'allows' : 'declines'} at ${at}`, () => {
      assert.equal(new NetworkWorld(at, period).authorize().decline_reason, code);
    });
  }
});

describe('the limits', () => {
  const limits = {
    per_transaction_min: money(500),
    per_transaction_max: money(2_000),
    total_card_amount: money(3_000),
  };
  for (const [amount, code] of [
    [499, 'E'],
    [500, null],
    [2_000, null],
    [2_001, 'E'],
  ] as const) {
    test(`of one transaction ${code === null ? 'allow' : 'decline'} ${amount} of 500..2000`, () => {
      assert.equal(decide(limits, { billing_amount: amount }).decline_reason, code);
    });
  }

  test('of the card allow the last cent and decline one more', () => {
    const world = new NetworkWorld(now, limits);
    assert.equal(world.authorize({ billing_amount: 2_000 }).decline_reason, null);
    assert.equal(world.authorize({ billing_amount: 1_001 }).decline_reason, 'F');
    assert.equal(world.authorize({ billing_amount: 1_000 }).decline_reason, null);
    assert.equal(world.available(), 0);
  });

  test('compare billed amounts without currency control, merchant amounts with it', () => {
    const message = { billing_amount: 1_100, merchant_amount: 1_000, merchant_currency: 'EUR' };
    const limit = { per_transaction_max: money(1_000) };
    assert.equal(decide(limit, message).decline_reason, 'E');
    const world = new NetworkWorld(now, { ...limit, currency: 'EUR' });
    assert.equal(world.authorize(message).decline_reason, null);
    assert.equal(world.counters.held, 1_000);
  });

  test('count uses, and the third of two is declined', () => {
    const world = new NetworkWorld(now, { transactions_max: 2 });
    const codes = [1, 2, 3].map(() => world.authorize().decline_reason);
    assert.deepEqual(codes, [null, null, 'G']);
  });

  test('a verification of 0 is checked against all limits except the minimum, uses nothing and holds nothing', () => {
    const world = new NetworkWorld(now, { ...limits, transactions_max: 1 });
    const zero = { billing_amount: 0 };
    assert.equal(world.authorize(zero).decline_reason, null);
    assert.deepEqual([world.counters.held, world.counters.uses], [0, 0]);
    assert.equal(world.authorize({ billing_amount: 500 }).decline_reason, null);
    assert.equal(world.authorize(zero).decline_reason, 'G');
    assert.equal(decide({ ...limits, status: 'Canceled' }, zero).decline_reason, 'K');
  });

  test('do not apply to a refund, which holds nothing, but the card must be the right one', () => {
    for (const code of ['20', '28', '200000', '283010']) {
      const full = { per_transaction_max: money(1), total_card_amount: money(1), transactions_max: 1 };
      const world = new NetworkWorld(now, { ...full, counters: { ...no_counters, uses: 1 } });
      const refund = { card_holder_transaction_type_code: code };
      assert.equal(world.authorize(refund).decline_reason, null);
      assert.deepEqual([world.counters.held, world.counters.uses], [0, 1]);
      assert.equal(world.authorize({ ...refund, cvc: '999' }).decline_reason, 'C');
    }
    for (const code of ['00', '000020', '002800', '200', '20000', '2000000', '20000x', '21', '21000', '290000']) {
      const purchase = { card_holder_transaction_type_code: code };
      assert.equal(decide({ total_card_amount: money(1) }, purchase).decline_reason, 'F', code);
    }
  });
});
