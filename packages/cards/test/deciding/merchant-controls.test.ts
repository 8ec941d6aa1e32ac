import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MerchantControls } from '@tallystick/templates';
import { type AuthorizationInput, reduceAuthorization } from '../../src/index.ts';
import { merchantOf } from '../../src/records/merchant.ts';
import { type CardSketch, NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const none: MerchantControls = { merchant_ids: null, merchant_names: null, countries: null, card_present: null };
const deny = (...entries: readonly string[]) => ({ allow: null, deny: entries });
const allow = (...entries: readonly string[]) => ({ allow: entries, deny: null });

const template = { mcc_rule: 'DENY', mcc_list: [], merchant_controls: null, version: 1 } as const;
const denies_acme: CardSketch = { merchant_controls: { ...none, merchant_names: deny('ACME*') } };
const template_denies_acme: CardSketch = { template: { ...template, ...denies_acme } as CardSketch['template'] & {} };

function decide(card: CardSketch, message: Partial<AuthorizationInput>) {
  return new NetworkWorld(now, card).authorize(message);
}

function factsOf({ decision }: ReturnType<typeof decide>) {
  return Object.fromEntries(decision.facts.map(({ name, value }) => [name, value]));
}

describe('the controls of a card and of its template', () => {
  test('both have to allow the merchant', () => {
    for (const card of [denies_acme, template_denies_acme, { ...denies_acme, ...template_denies_acme }]) {
      assert.equal(decide(card, { merchant_name: 'Acme 7' }).decline_reason, 'H');
      assert.equal(decide(card, { merchant_name: 'Other' }).decline_reason, null);
    }
    const allowed_here = { ...template_denies_acme, merchant_controls: { ...none, merchant_names: allow('*acme*') } };
    assert.equal(decide(allowed_here, { merchant_name: 'Acme 7' }).decline_reason, 'H');
  });

  test('decline with the merchant, whose controls they are, and the rule', () => {
    const acme = { merchant_id: 'M1', merchant_name: 'Acme 7' };
    const { merchant_id, merchant_name, controls_of, broken_rule } = factsOf(decide(template_denies_acme, acme));
    assert.deepEqual([merchant_id, merchant_name, controls_of, broken_rule], ['M1', 'Acme 7', 'template', 'deny']);
    const german: CardSketch = { merchant_controls: { ...none, countries: allow('DEU') } };
    const unknown = factsOf(decide(german, {}));
    assert.deepEqual(
      [unknown.merchant_country, unknown.controls_of, unknown.broken_rule],
      ['unknown', 'card', 'allow'],
    );
    const present: CardSketch = { merchant_controls: { ...none, card_present: 'required' } };
    assert.equal(factsOf(decide(present, { card_present: false })).card_present, 'false');
  });

  test('apply to a refund, which meets no limit', () => {
    const refund = { merchant_name: 'Acme 7', card_holder_transaction_type_code: '20' };
    assert.equal(decide(denies_acme, refund).decline_reason, 'H');
  });

  test('apply to a verification and to an increment', () => {
    assert.equal(decide(denies_acme, { merchant_name: 'Acme', billing_amount: 0 }).decline_reason, 'H');
    const world = new NetworkWorld(now, denies_acme);
    assert.equal(world.authorize({ merchant_name: 'Other', trace_id: 'T' }).decline_reason, null);
    const more = { merchant_name: 'Acme', trace_id: 'T', incremental: true, system_trace_audit_number: '000009' };
    assert.equal(world.authorize(more).decline_reason, 'H');
  });

  test('show in an advice of an approval that it was made in spite of them', () => {
    for (const [controls, message, code] of [
      [{ ...none, merchant_ids: allow('M1') }, { merchant_id: 'M2' }, 'H'],
      [{ ...none, countries: deny('FRA') }, { merchant_country: 'FRA' }, 'L'],
      [{ ...none, card_present: 'forbidden' }, { card_present: true }, 'N'],
    ] as const) {
      const item = decide({ merchant_controls: controls }, { ...message, message_type_indicator: '0120' });
      assert.deepEqual([item.decline_reason, item.broken_reason, item.status], [null, code, 'open']);
      assert.equal(factsOf(item).controls_of, 'card');
    }
  });
});

describe('the country of a merchant', () => {
  for (const [sent, shown] of [
    [{ merchant_country: 'DEU' }, 'DEU'],
    [{ merchant_country: 'DE' }, 'DEU'],
    [{ merchant_country: 'de' }, 'DEU'],
    [{ merchant_country: 'QZZ' }, 'QZZ'],
    [{ merchant_state_or_country_code: 'DEU' }, 'DEU'],
    [{ merchant_state_or_country_code: ' deu ' }, 'DEU'],
    [{ merchant_state_or_country_code: 'DE' }, undefined],
    [{ merchant_state_or_country_code: 'CA ' }, undefined],
    [{ merchant_state_or_country_code: '276' }, undefined],
    [{ merchant_country: 'FRA', merchant_state_or_country_code: 'DEU' }, 'FRA'],
    [{}, undefined],
  ] as const) {
    test(`is ${shown ?? 'not known'} by ${JSON.stringify(sent)}`, () => {
      const item = decide({}, sent);
      assert.equal('merchant_country' in item ? item.merchant_country : undefined, shown);
    });
  }

  for (const merchant_country of ['D', 'GERM', '276', 'D1', 'D ']) {
    test(`is refused as ${JSON.stringify(merchant_country)}`, () => {
      assert.throws(() => decide({}, { merchant_country }), /merchant_country/);
    });
  }
});

test('what the controls compare stays when a record is reduced, so that its decision can be replayed', () => {
  const world = new NetworkWorld(now);
  const sent = { merchant_id: 'M1', merchant_name: 'Café', merchant_city: 'Köln', card_present: false };
  for (const [at, where] of [{ merchant_country: 'FR' }, { merchant_state_or_country_code: 'DEU' }, {}].entries()) {
    const { id } = world.authorize({ ...sent, ...where, trace_id: `T${at}` });
    const reduced = reduceAuthorization(world.row(id!), world.now_ms);
    assert.deepEqual(merchantOf(reduced), merchantOf(world.row(id!)));
    assert.equal(reduced.details.merchant_city, undefined);
  }
});
