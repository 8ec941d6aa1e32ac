import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLuhnValid } from '@tallystick/kernel';
import type { AuthorizationInput, ClearingInput } from '../../src/index.ts';
import { NetworkWorld, numberOf } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
/** A card whose number passes the Luhn check, and a number that passes it and is of no card. */
const [card_id, other_id] = Array.from({ length: 40 }, (_, at) => at + 1).filter((id) => isLuhnValid(numberOf(id)));
const number = numberOf(card_id!);
const not_ours = numberOf(other_id!);

const authorization_names = ['trace_id', 'system_trace_audit_number', 'merchant_id', 'net_reference_number'] as const;
const clearing_names = [
  'network_financial_transaction_id',
  'acquirer_reference_data',
  'net_reference_number',
  'merchant_id',
] as const;
const notations = [
  number,
  `x${number}`,
  number.replace(/(\d{4})(?=\d)/g, '$1 '),
  [...number].join('\u00a0'),
  [...number].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
];
/** References that look like numbers: of no card, too long or too short, not valid. */
const references = [
  not_ours,
  `${not_ours}-${not_ours}`,
  `7${number}`,
  `${number}0000000`,
  number.slice(1),
  numberOf(card_id! + 1),
  '24303123456789012345678',
];

function worldWithCard() {
  return new NetworkWorld(now, { id: card_id! }, { id: 1 });
}

describe('a name or a reference of a message', () => {
  for (const name of authorization_names) {
    test(`of an authorization is refused when ${name} contains the number of any card`, () => {
      for (const text of notations) {
        const world = worldWithCard();
        const [answer] = world.send(world.message({ card_id: 1, [name]: text } as Partial<AuthorizationInput>));
        assert.ok(answer?.kind === 'refused', text);
        assert.deepEqual(
          answer.refusal.fields.map(({ path }) => path),
          [name],
        );
        assert.ok(!JSON.stringify(answer.refusal).includes(number) && !answer.refusal.message.includes(number));
        assert.deepEqual([world.events.length, world.state.authorizations.size], [0, 0]);
      }
    });
  }

  for (const name of clearing_names) {
    test(`of a clearing is refused when ${name} contains the number of any card, by number and by id`, () => {
      for (const by of [{ card_id: card_id! }, { card_number: number }, { card_id: 1 }]) {
        const world = worldWithCard();
        const [answer] = world.send(world.clearingMessage({ ...by, [name]: `x${number}` } as Partial<ClearingInput>));
        assert.ok(answer?.kind === 'refused', JSON.stringify(by));
        assert.deepEqual(
          answer.refusal.fields.map(({ path }) => path),
          [name],
        );
        assert.deepEqual([world.events.length, world.state.quarantine.size], [0, 0]);
      }
    });
  }

  test('is stored and matches as it was sent when it only looks like a number', () => {
    for (const text of references) {
      const world = worldWithCard();
      const message = { card_id: card_id!, trace_id: text, merchant_id: text, net_reference_number: text };
      const authorization = world.authorize(message);
      assert.deepEqual([authorization.trace_id, authorization.merchant_id], [text, text]);
      assert.equal(authorization.net_reference_number, text);
      const again = world.authorize({ ...message, incremental: true });
      assert.equal(world.row(again.id!).root_id, authorization.id, 'the trace id still matches');
      const clearing = world.clear({ card_id: card_id!, merchant_id: text, acquirer_reference_data: text });
      assert.deepEqual([clearing.authorization_id, clearing.merchant_id], [authorization.id, text]);
    }
  });

  test('fails alone: the other messages of its pass are decided', () => {
    const world = worldWithCard();
    const answers = world.send(
      world.message({ card_id: card_id! }),
      world.message({ card_id: card_id!, trace_id: number }),
      world.message({ card_id: card_id! }),
    );
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['answered', 'refused', 'answered'],
    );
  });
});
