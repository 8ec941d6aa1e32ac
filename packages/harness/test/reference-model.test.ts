import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import type { AuthorizationWire, CardRequest, ClearingWire } from '../src/index.ts';
import { modelAsSystem } from './model-as-system.ts';

const start_ms = Temporal.Instant.from('2026-03-04T10:00:00Z').epochMilliseconds;
const day_ms = 86_400_000;

/** A run with one card, in short notation. */
function story(request: CardRequest) {
  const { model } = modelAsSystem(start_ms);
  const card_number = '4000000000000010';
  model.createCard({ total_card_amount: 1_000, ...request }, { id: 1, card_number, cvc: '123' });
  const card = model.cards[0]!;
  let serial = 0;
  return {
    authorize(billing_amount: number, with_more: Partial<AuthorizationWire> = {}): string {
      serial += 1;
      const { answer, answered } = model.authorize({
        card_number,
        message_type_indicator: '0100',
        trace_id: `T${serial}`,
        system_trace_audit_number: `${serial}`,
        transaction_date_time: Temporal.Instant.fromEpochMilliseconds(model.now_ms).toString(),
        billing_amount,
        billing_currency: 'USD',
        merchant_amount: billing_amount,
        merchant_currency: 'USD',
        mcc: '5812',
        merchant_id: 'cafe',
        ...with_more,
      });
      assert.ok(answer.kind === 'done');
      if (answered?.answer.id === null) {
        model.learnAuthorization(answered, { ...answer.value, id: serial, approval_code: `CODE0${serial}` });
      }
      return answer.value.vcn_response;
    },
    clear(billing_amount: number, with_more: Partial<ClearingWire> = {}): string {
      serial += 1;
      const { answer, answered } = model.clear({
        vcn_id: 1,
        network_financial_transaction_id: `C${serial}`,
        clearing_type: 'DEBIT',
        billing_amount,
        billing_currency: 'USD',
        merchant_amount: billing_amount,
        merchant_currency: 'USD',
        settlement_date: '2026-03-05',
        merchant_id: 'cafe',
        ...with_more,
      });
      assert.ok(answer.kind === 'done' && answered !== null);
      model.learnClearing(answered, { ...answer.value, id: serial });
      return `${answer.value.class} by rule ${answer.value.match_rule}`;
    },
    wait: (ms: number) => model.advanceClock(model.now_ms + ms),
    at: (instant: string) => model.advanceClock(Temporal.Instant.from(instant).epochMilliseconds),
    cancel: () => model.cancelCard(card),
    release: (authorization_id: number) => model.releaseHold(card, authorization_id).kind,
    get balance() {
      return model.view(card).available_balance;
    },
    get uses() {
      return model.view(card).uses;
    },
    get statuses() {
      return model.view(card).authorizations!.map(({ status }) => status);
    },
    get events() {
      return model.events.map(({ event_type }) => event_type);
    },
  };
}

test('a purchase is held, then cleared in parts, and its final clearing releases the rest', () => {
  const card = story({});
  assert.equal(card.authorize(400), 'Valid');
  assert.equal(card.balance, 600);
  assert.equal(card.clear(100, { approval_code: 'CODE01', partial: true }), 'partial by rule 5');
  assert.deepEqual([card.balance, card.statuses], [600, ['partially_cleared']]);
  assert.equal(card.clear(200, { approval_code: 'CODE01' }), 'under by rule 5');
  assert.deepEqual([card.balance, card.uses, card.statuses], [700, 1, ['cleared']]);
});

test('reasons apply in the order of the table', () => {
  const card = story({ per_transaction_max: 500, transactions_max: 1, valid_ending_on: '2026-03-20', currency: 'EUR' });
  const eur = { merchant_currency: 'EUR' } as const;
  assert.equal(card.authorize(500, { ...eur }), 'Valid');
  assert.equal(card.authorize(501, { ...eur }), 'Transaction amount limit');
  assert.equal(card.authorize(500, { ...eur }), 'Transaction number usage');
  assert.equal(card.authorize(501), 'Transaction type restriction');
  card.at('2026-03-21T00:00:00Z');
  assert.equal(card.authorize(501), 'Validity period limit');
  assert.equal(card.authorize(501, { cvc: '999' }), 'CVC2 mismatch');
  card.at('2028-04-01T00:00:00Z');
  assert.equal(card.authorize(501, { cvc: '999' }), 'VCN expired');
  assert.equal(card.authorize(501, { cvc: '999', expiry: '2027-01' }), 'Expiry date mismatch');
  card.cancel();
  assert.equal(card.authorize(501, { cvc: '999', expiry: '2027-01' }), 'Database status bad');
  assert.equal(card.authorize(501, { card_number: '4000000000000011' }), 'Bad VCN-RCN mapping');
});

test('a purchase does not take the clearing that bears the code of another, nor its code', () => {
  const card = story({});
  const reference = { net_reference_number: 'MCCABC1230304' };
  card.authorize(72, { ...reference, trace_id: 'T' });
  card.authorize(72, { trace_id: 'T', message_type_indicator: '0400' });
  assert.equal(card.clear(72, { ...reference, approval_code: 'CODE01' }), 'over by rule 3');
  card.authorize(27, reference);
  assert.deepEqual([card.statuses, card.balance], [['open', 'cleared', 'cleared'], 901]);
});

test('a repeated message gets the first answer and changes nothing', () => {
  const card = story({});
  const same = { trace_id: 'T', system_trace_audit_number: '7' };
  card.authorize(900, same);
  assert.equal(card.authorize(900, same), 'Valid');
  assert.deepEqual([card.balance, card.uses, card.events.length], [100, 1, 2]);
});

test('a part clears in part what was released and then reversed, also in the instant of a credit', () => {
  const card = story({});
  const net_reference_number = 'MCC0000010101';
  card.authorize(400, { net_reference_number });
  card.clear(400, { net_reference_number, clearing_type: 'CREDIT' });
  assert.equal(card.release(1), 'done');
  card.authorize(400, { trace_id: 'T1', message_type_indicator: '0400' });
  card.clear(100, { net_reference_number, partial: true });
  assert.deepEqual([card.statuses, card.balance], [['partially_cleared', 'partially_cleared'], 1_000]);
});

test('a full reversal releases the hold and the use, a partial one only the difference', () => {
  const card = story({ transactions_max: 1 });
  card.authorize(400, { trace_id: 'T' });
  const remaining = { billing_amount: 150, settlement_amount: null, transaction_amount: null };
  card.authorize(400, { trace_id: 'T', message_type_indicator: '0400', replacement_amounts: remaining });
  assert.deepEqual([card.balance, card.uses], [850, 1]);
  card.authorize(400, { trace_id: 'T', message_type_indicator: '0420' });
  assert.deepEqual([card.balance, card.uses], [1_000, 0]);
});

test('a corrected amount also counts under its flat name', () => {
  const card = story({});
  card.authorize(400, { trace_id: 'T' });
  const flat = { 'replacement_amounts.billing_amount': 150 };
  card.authorize(400, { trace_id: 'T', message_type_indicator: '0400', ...flat });
  assert.deepEqual([card.balance, card.uses], [850, 1]);
});

test('a debit that clears anyway is the one use of a purchase that was reversed in full or held nothing', () => {
  const card = story({});
  card.authorize(400, { trace_id: 'T' });
  card.authorize(400, { trace_id: 'T', message_type_indicator: '0400' });
  assert.equal(card.uses, 0);
  card.clear(400, { approval_code: 'CODE01', partial: true });
  card.clear(400, { approval_code: 'CODE01' });
  assert.deepEqual([card.balance, card.uses], [200, 1]);
  card.authorize(0, { net_reference_number: 'MCC0000010304' });
  assert.equal(card.uses, 1);
  card.clear(100, { net_reference_number: 'MCC0000010304', merchant_id: 'bakery' });
  assert.deepEqual([card.balance, card.uses], [100, 2]);
});

test('a purchase that a debit cleared stays a use after a full reversal', () => {
  const card = story({});
  card.authorize(400, { trace_id: 'T' });
  card.clear(100, { approval_code: 'CODE01', partial: true });
  card.authorize(400, { trace_id: 'T', message_type_indicator: '0400' });
  assert.deepEqual([card.balance, card.uses], [900, 1]);
});

test('an original that arrives after its reversal is declined and holds nothing', () => {
  const card = story({});
  card.authorize(400, { trace_id: 'T', message_type_indicator: '0400' });
  assert.equal(card.authorize(400, { trace_id: 'T' }), 'Unable to process');
  assert.equal(card.balance, 1_000);
  assert.equal(card.authorize(400, { trace_id: 'T' }), 'Valid');
  assert.equal(card.balance, 600);
});

test('an increment adds to its hold, is not a use, and its sum is checked against the limit per transaction', () => {
  const card = story({ per_transaction_max: 500, transactions_max: 1 });
  card.authorize(300, { trace_id: 'T' });
  assert.equal(card.authorize(201, { trace_id: 'T', incremental: true }), 'Transaction amount limit');
  assert.equal(card.authorize(200, { trace_id: 'T', incremental: true }), 'Valid');
  assert.deepEqual([card.balance, card.uses], [500, 1]);
});

test('an advice may exceed limits; an advice of a decline, refunds and verifications hold nothing', () => {
  const card = story({ transactions_max: 1 });
  assert.equal(card.authorize(1_200, { message_type_indicator: '0120' }), 'Valid');
  assert.deepEqual([card.balance, card.uses], [-200, 1]);
  card.authorize(50, { message_type_indicator: '0120', response_code: '05' });
  for (const code of ['20', '280000'])
    assert.equal(card.authorize(50, { card_holder_transaction_type_code: code }), 'Valid');
  assert.equal(card.authorize(0), 'Transaction number usage');
  assert.deepEqual([card.balance, card.uses], [-200, 1]);
});

test('a new window begins empty; a purchase of the previous window is cleared in the previous window', () => {
  const card = story({ recurring: 'Daily', transactions_max: 1 });
  card.authorize(1_000);
  card.at('2026-03-04T23:59:59.999Z');
  assert.equal(card.authorize(1), 'Transaction number usage');
  card.at('2026-03-05T00:00:00Z');
  assert.deepEqual([card.balance, card.uses], [1_000, 0]);
  assert.equal(card.clear(1_000, { approval_code: 'CODE01' }), 'exact by rule 5');
  assert.deepEqual([card.balance, card.uses], [1_000, 0]);
});

test('an aging hold ends at 00:00:01 of its zone, and a clearing after it is late', () => {
  const card = story({ authorization_hold_days: 4, aging_velocity_time_zone: 'America/New_York' });
  card.authorize(700);
  card.at('2026-03-08T05:00:00.999Z');
  assert.deepEqual([card.balance, card.statuses], [300, ['open']]);
  card.at('2026-03-08T05:00:01Z');
  assert.deepEqual([card.balance, card.statuses], [1_000, []]);
  assert.equal(
    card.clear(200, { approval_code: 'CODE01', settlement_date: '2026-03-08', partial: true }),
    'partial by rule 5',
  );
  assert.equal(card.clear(500, { approval_code: 'CODE01', settlement_date: '2026-03-09' }), 'late by rule 5');
  assert.deepEqual([card.balance, card.statuses], [300, ['cleared']]);
});

test('a clearing without an authorization is applied and is a use; credits never reduce the window below zero', () => {
  const card = story({});
  assert.equal(card.clear(1_300), 'force_post by rule 8');
  assert.deepEqual([card.balance, card.uses], [-300, 1]);
  assert.equal(card.clear(300, { clearing_type: 'CREDIT' }), 'refund_linked by rule 7');
  assert.equal(card.clear(5_000, { clearing_type: 'CREDIT' }), 'refund_unlinked by rule 7');
  assert.deepEqual([card.balance, card.uses], [1_000, 1]);
});

test('a dispute does not change the balance; a message reversal undoes its clearing', () => {
  const card = story({});
  const reference = { acquirer_reference_data: '12345678901234567' };
  card.clear(400, reference);
  assert.equal(card.clear(400, { ...reference, cycle: 'chargeback', clearing_type: 'CREDIT' }), 'dispute by rule 2');
  assert.equal(card.balance, 600);
  const undoing = { ...reference, cycle: 'reversal', clearing_type: 'CREDIT' } as const;
  const other = { ...reference, acquirer_reference_data: '76543210987654321' };
  card.clear(100, other);
  assert.equal(card.clear(100, { ...undoing, ...other }), 'reversal by rule 1');
  assert.equal(card.balance, 600);
});

for (const [dispute_id, reversal_id] of [
  ['D1', 'D2'],
  ['D2', 'D1'],
]) {
  test(`a reversal with the id ${reversal_id} undoes a chargeback ${dispute_id} of its date, not the purchase`, () => {
    const card = story({});
    const reference = { acquirer_reference_data: '12345678901234567' };
    card.clear(400, reference);
    const chargeback = { ...reference, cycle: 'chargeback', clearing_type: 'CREDIT' } as const;
    card.clear(400, { ...chargeback, network_financial_transaction_id: dispute_id! });
    const reversal = { ...reference, cycle: 'reversal' } as const;
    assert.equal(
      card.clear(400, { ...reversal, network_financial_transaction_id: reversal_id! }),
      'reversal by rule 1',
    );
    assert.equal(card.balance, 600);
  });
}

test('matching reaches thirty-five days from the settlement date, whenever the clearing arrives', () => {
  for (const [days, matched] of [
    [35, 'late by rule 5'],
    [36, 'force_post by rule 8'],
  ] as const) {
    const card = story({});
    card.authorize(200);
    card.wait(100 * day_ms);
    const settlement_date = Temporal.PlainDate.from('2026-03-04').add({ days }).toString();
    assert.equal(card.clear(200, { approval_code: 'CODE01', settlement_date }), matched);
  }
});

test('the model shares no code with the packages that it checks', () => {
  const folder = new URL('../src/', import.meta.url);
  const files = globSync(['reference/*.ts', 'arbitraries/*.ts', 'commands/*.ts', 'system.ts', 'run-model.ts'], {
    cwd: folder.pathname,
  });
  assert.ok(files.length >= 10, `only ${files.length} files`);
  for (const file of files) {
    assert.doesNotMatch(readFileSync(new URL(file, folder), 'utf8'), /^import (?!type )[^;]*@tallystick\//m, file);
  }
});
