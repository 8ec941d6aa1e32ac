import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cardNumbersIn } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type ClearingAnswer,
  type ClearingInput,
  clearing_cycles,
  clearing_types,
  normalizeClearing,
} from '../../src/index.ts';
import { identityOf, openSealed, sealClearing } from '../../src/quarantine/sealed-clearing.ts';
import { NetworkWorld, numberOf, plain_quarantine, vault } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const { sealer, sha256 } = plain_quarantine;

function openedInput(message_sealed: Uint8Array): ClearingInput {
  const sealed = openSealed(sealer, message_sealed);
  return sealed.kind === 'clearing' ? sealed.input : assert.fail('a clearing was sealed');
}

/** The records of the world, oldest first, without what every record has. */
function keptIn(world: NetworkWorld) {
  return world.state.quarantine.values().map(({ reason, count, status }) => ({ reason, count, status }));
}

const once = { count: 1, status: 'quarantined' } as const;

describe('a refused clearing', () => {
  test('of an unknown card is kept, by its number and by its id', () => {
    const world = new NetworkWorld(now);
    world.send(world.clearingMessage({ card_number: numberOf(9) }), world.clearingMessage({ vcn_id: 9 }));
    assert.deepEqual(keptIn(world), [
      { reason: 'unknown_card', ...once },
      { reason: 'unknown_card', ...once },
    ]);
  });

  test('in another billing currency is kept', () => {
    const world = new NetworkWorld(now);
    world.send(world.clearingMessage({ billing_currency: 'EUR' }));
    assert.deepEqual(keptIn(world), [{ reason: 'other_billing_currency', ...once }]);
    const [{ explanation, excerpt } = assert.fail()] = world.state.quarantine.values();
    assert.match(explanation, /must be USD/);
    assert.equal(excerpt.billing_currency, 'EUR');
  });

  test('of a file, with the number of a card in a name, is kept with the number masked', () => {
    // Only what passes the Luhn check can be the number of a card.
    const id = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].find((one) => cardNumbersIn(numberOf(one)).length > 0)!;
    const number = numberOf(id);
    const world = new NetworkWorld(now, { id });
    const sent = world.clearingMessage({ card_id: id, merchant_id: `M ${number}` });
    const place = { import_id: 4, ordinal: 2, position: 80 };
    world.send(sent, { ...sent, place });
    const [{ reason, import_id, ordinal, position, excerpt, message_sealed } = assert.fail(), ...others] =
      world.state.quarantine.values();
    assert.equal(others.length, 0);
    assert.deepEqual({ reason, import_id, ordinal, position }, { reason: 'invalid_clearing', ...place });
    assert.equal(excerpt.merchant_id, `M ************${number.slice(-4)}`);
    assert.equal(openedInput(message_sealed).merchant_id, `M ${number}`);
  });

  test('of a file, beside a masked number with other last digits, is kept', () => {
    const world = new NetworkWorld(now);
    world.send({ ...world.clearingMessage(), last4: '9999' }, { ...world.clearingMessage(), last4: '0001' });
    assert.deepEqual(keptIn(world), [{ reason: 'card_mismatch', ...once }]);
    assert.equal(world.state.clearings.values().length, 1);
  });

  test('with the transaction id of another card is kept', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    const network_financial_transaction_id = 'ft-same';
    world.clear({ network_financial_transaction_id });
    world.send(world.clearingMessage({ card_id: 2, network_financial_transaction_id }));
    assert.deepEqual(keptIn(world), [{ reason: 'transaction_of_another_card', ...once }]);
  });

  for (const [what, other] of Object.entries({
    amount: { billing_amount: 1_001 },
    type: { clearing_type: 'CREDIT' },
    cycle: { cycle: 'chargeback' },
    'acquirer reference': { acquirer_reference_data: '55432861234567891' },
  })) {
    test(`of a file, with another ${what} than the clearing with the id that was made from it, is kept`, () => {
      const world = new NetworkWorld(now);
      const ids = { network_financial_transaction_id: 'made-2', acquirer_reference_data: '55432861234567890' };
      const [first, again, different] = [ids, ids, { ...ids, ...other }].map((input, at) => ({
        ...world.clearingMessage(input),
        synthetic_id: true,
        place: { import_id: 4 + at, ordinal: 2, position: 80 },
      }));
      world.send(first!);
      const [repeated] = world.send(again!) as readonly ClearingAnswer[];
      assert.equal(repeated?.kind === 'answered' && repeated.duplicate, true);
      const before = world.counters;
      world.send(different!);
      assert.deepEqual(keptIn(world), [{ reason: 'transaction_of_another_clearing', ...once }]);
      assert.deepEqual(world.counters, before);
    });
  }

  test('is kept once however often it comes, also within one pass', () => {
    const world = new NetworkWorld(now);
    const message = world.clearingMessage({ vcn_id: 9 });
    world.send(message, { ...message, request_id: 'another' });
    world.now = '2026-11-22T12:00:00Z';
    world.send(message);
    assert.deepEqual(keptIn(world), [{ reason: 'unknown_card', count: 3, status: 'quarantined' }]);
    const [{ first_seen_at_ms, last_seen_at_ms } = assert.fail()] = world.state.quarantine.values();
    assert.equal(last_seen_at_ms - first_seen_at_ms, 86_400_000);
  });

  test('is another record when a field differs', () => {
    const world = new NetworkWorld(now);
    const message = world.clearingMessage({ vcn_id: 9 });
    world.send(message, { ...message, settlement_date: '2026-11-24' }, { ...message, partial: true });
    assert.equal(keptIn(world).length, 3);
  });

  test('shows its card number masked, and is sealed with the whole number', () => {
    const world = new NetworkWorld(now);
    const number = numberOf(9);
    world.send(world.clearingMessage({ card_number: number, merchant_name: `of ${number}` }));
    const [record = assert.fail()] = world.state.quarantine.values();
    assert.equal(record.excerpt.card_number, `************${number.slice(-4)}`);
    assert.ok(!JSON.stringify({ ...record, message_sealed: null }).includes(number));
    assert.equal(openedInput(record.message_sealed).card_number, number);
  });

  test('of a known card that is applied is not kept', () => {
    const world = new NetworkWorld(now);
    world.clear();
    assert.deepEqual(keptIn(world), []);
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const inputs: fc.Arbitrary<ClearingInput> = fc
  .record({
    by_number: fc.boolean(),
    network_financial_transaction_id: text,
    billing_amount: fc.nat(),
    billing_currency: fc.constantFrom('USD', 'EUR'),
    clearing_type: fc.constantFrom(...clearing_types),
    settlement_date: fc.constantFrom('2026-11-23', '2026-11-23T10:00:00Z'),
    partial: optional(fc.boolean()),
    cycle: optional(fc.constantFrom(...clearing_cycles)),
    merchant: optional(fc.record({ merchant_amount: fc.nat(), merchant_currency: fc.constantFrom('USD', 'EUR') })),
    acquirer_reference_data: optional(text),
    approval_code: optional(fc.constantFrom('A1B2C3', '000000')),
    net_reference_number: optional(text),
    merchant_id: optional(text),
    merchant_name: optional(text),
    exchange_rate: optional(text),
    mcc: optional(fc.constant('5812')),
    authorization_date: optional(fc.constant('2026-11-20')),
  })
  .map(({ by_number, merchant, ...fields }) => ({
    ...fields,
    ...merchant,
    ...(by_number ? { card_number: numberOf(9) } : { vcn_id: 9 }),
  }));

test('the message that is opened is the one that was sealed, with the same identity', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      let message: ReturnType<typeof normalizeClearing>;
      try {
        message = normalizeClearing(input, vault, 'r-1');
      } catch {
        return fc.pre(false);
      }
      const opened = normalizeClearing(openedInput(sealClearing(sealer, message)), vault, 'r-1');
      assert.deepEqual({ ...opened, pan: opened.pan?.reveal() }, { ...message, pan: message.pan?.reveal() });
      assert.deepEqual(identityOf(sha256, opened), identityOf(sha256, { ...message, request_id: 'r-2' }));
    }),
    propertyParameters(),
  );
});
