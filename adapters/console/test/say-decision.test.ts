import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { code_words, type ExplainedDecision, sayDecision } from '../src/decision/say-decision.ts';

type Facts = Readonly<Record<string, string | number>>;
type Changes = Partial<ExplainedDecision['authorization']>;

/** A decision about a purchase of 120.00 EUR at Shell on 29 November 2026, by a card with a monthly limit. */
function decided(code: ExplainedDecision['decision']['code'], values: Facts, changes: Changes = {}): ExplainedDecision {
  const facts = Object.entries(values).map(([name, value]) => ({ name, value }));
  const authorization = {
    id: 1,
    status: code === 'V' ? 'open' : 'declined',
    message_type_indicator: 'Authorization Request',
    merchant_amount: 12_000,
    merchant_currency: 'EUR',
    billing_amount: 12_000,
    billing_currency: 'EUR',
    merchant_name: 'Shell',
    mcc: '7995',
    mcc_description: null,
    card_holder_transaction_type_code: null,
    broken_reason: null,
    ...changes,
  };
  return {
    decided_at: '2026-11-29T23:59:59Z',
    decision: { code, reason: '', facts },
    applied_anyway: changes.broken_reason !== undefined,
    controls: { recurring: 'Monthly' },
    authorization,
  } as unknown as ExplainedDecision;
}

const purchase = 'The purchase of 120.00 EUR at Shell on 29 November 2026';

/** Of each code what follows "because", with the facts that its decisions keep. */
const sentences: readonly (readonly [ExplainedDecision['decision']['code'], Facts, because: string, Changes?])[] = [
  ['I', {}, 'no card has the number that was entered'],
  ['K', { status: 'Canceled', company_status: 'active' }, 'the card is canceled'],
  ['K', { status: 'Approved', company_status: 'closed' }, 'the account of the company is closed'],
  ['K', { status: 'Approved', frozen_at: '2026-11-20T10:00:00Z' }, 'the card was frozen on 20 November 2026'],
  [
    'A',
    { expiry_expected: '2028-01', expiry_sent: '2028-02' },
    'the expiry date that was entered is not that of the card',
  ],
  ['B', { expiry: '2026-10', date: '2026-11-29' }, 'the card expired at the end of October 2026'],
  ['C', { code_failures: 1, code_failures_max: 10 }, 'the security code that was entered is wrong'],
  [
    'C',
    { code_failures: 11, code_failures_max: 10 },
    'a wrong security code was entered too often on that day, so that no code is accepted until the day is over (UTC)',
  ],
  [
    'D',
    { date: '2026-11-29', valid_starting_on: '2026-12-01', valid_ending_on: '2026-12-31' },
    'the card is valid only from 1 December 2026',
  ],
  [
    'D',
    { date: '2026-11-29', valid_starting_on: '2026-10-01', valid_ending_on: '2026-11-28' },
    'the card was valid only until 28 November 2026',
  ],
  [
    'M',
    { currency_expected: 'USD', currency_sent: 'EUR' },
    'the card accepts only purchases in USD, and this one was in EUR',
  ],
  ['J', { mcc: '7995' }, 'the card may not be used for this kind of merchant (category 7995)'],
  [
    'J',
    {},
    'the card may not be used for this kind of merchant (Betting, category 7995)',
    { mcc_description: 'Betting' },
  ],
  ['H', { broken_rule: 'deny' }, 'the card may not be used at this merchant'],
  ['H', { broken_rule: 'allow' }, 'the card may be used at named merchants only, and this is none of them'],
  [
    'L',
    { merchant_country: 'RUS', broken_rule: 'deny' },
    'the card may not be used in the country of the merchant (RUS)',
  ],
  ['L', { merchant_country: 'unknown' }, 'the merchant did not say in which country it is'],
  ['N', { broken_rule: 'required' }, 'the card may be used only where it is shown, not online'],
  ['N', { broken_rule: 'forbidden' }, 'the card may be used only without showing it, such as online'],
  [
    'E',
    { asked: 12_000, per_transaction_min: 0, per_transaction_max: 10_000 },
    'one purchase with this card may be at most 100.00 EUR',
  ],
  [
    'E',
    { asked: 12_000, increment_of: 1_000, per_transaction_min: 0, per_transaction_max: 12_500 },
    'one purchase with this card may be at most 125.00 EUR, together with what was approved before',
  ],
  [
    'E',
    { asked: 12_000, per_transaction_min: 15_000, per_transaction_max: 20_000 },
    'a purchase with this card must be at least 150.00 EUR',
  ],
  ['G', { transactions_max: 3, uses: 3 }, 'the card was already used 3 times, which is all that is allowed per month'],
  ['G', { transactions_max: 1, uses: 1 }, 'the card was already used once, which is all that is allowed per month'],
  [
    'F',
    { asked: 12_000, available: 8_000, total_card_amount: 20_000 },
    'only 80.00 EUR of the monthly limit were left',
  ],
  ['F', { available: -100, total_card_amount: 20_000 }, 'nothing of the monthly limit, 200.00 EUR, was left'],
  ['P', { decided_by: 'endpoint', consultation: 'answered' }, 'the company that issued the card declined it'],
  [
    'P',
    { decided_by: 'stand_in', consultation: 'timeout', stand_in_rule: '1' },
    'the company that issued the card could not be asked in time, and its rule for that case declines it',
  ],
  ['U', { asked: 12_000 }, 'it had been taken back before it arrived'],
  ['U', {}, 'the service could not decide in time', { id: null }],
];

describe('a decision as a sentence', () => {
  for (const [code, facts, because, changes] of sentences) {
    it(`says of ${code} that ${because}`, () => {
      assert.equal(sayDecision(decided(code, facts, changes), 'EUR'), `${purchase} was declined because ${because}.`);
    });
  }

  it('exists for every code', () => {
    const said = new Set<string>(sentences.map(([code]) => code));
    assert.deepEqual(
      Object.keys(code_words).filter((code) => code !== 'V' && !said.has(code)),
      [],
    );
  });

  it('says what was approved, refunded, checked, reported and reversed', () => {
    const said = (changes: Changes) => sayDecision(decided('V', {}, changes), 'EUR');
    assert.equal(said({}), `${purchase} was approved.`);
    assert.equal(
      said({ partial_approval: true, approved_amount: 5_000 }),
      `${purchase} was approved in part, for 50.00 EUR.`,
    );
    assert.match(said({ card_holder_transaction_type_code: '200000' }), /^The refund of 120\.00 EUR/);
    assert.match(said({ merchant_amount: 0 }), /^The check of the card at Shell on/);
    assert.match(said({ merchant_amount: 13_000, merchant_currency: 'USD' }), /of 130\.00 USD \(120\.00 EUR\) at/);
    assert.match(
      said({ message_type_indicator: 'Authorization Advice', broken_reason: 'K' }),
      /which the card network reported, was approved by the card network itself, although the card was not active\.$/,
    );
    assert.match(
      said({ message_type_indicator: 'Authorization Advice', status: 'declined' }),
      /was declined by the card network itself, not by this service\.$/,
    );
    assert.match(said({ message_type_indicator: 'Reversal Request' }), /^The reversal of .* was recorded/);
  });

  it('has no invisible characters of a merchant, and isolates a name from right to left', () => {
    const said = (merchant_name: string | null) => sayDecision(decided('V', {}, { merchant_name }), 'EUR');
    assert.match(said('Sh\u200bell\u202e\u0000'), / at Shell on /);
    assert.match(said('קפה'), / at \u2068קפה\u2069 on /);
    assert.match(said(null), /EUR on 29/);
    assert.match(said(' \u200b '), /EUR on 29/);
  });
});
