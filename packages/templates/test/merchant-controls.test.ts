import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, RequestFields } from '@tallystick/kernel';
import fc from 'fast-check';
import {
  type BrokenRule,
  brokenByCountry,
  brokenByMerchant,
  brokenByPresence,
  type Merchant,
  type MerchantControls,
  type MerchantControlsRequest,
  merchant_controls_bytes_max,
  merchant_entry_length_max,
  merchant_list_max,
  readMerchantControls,
} from '../src/index.ts';

const nobody = { merchant_id: null, merchant_name: null, merchant_country: null, card_present: null };

function read(request: unknown): MerchantControls | null {
  const fields = new RequestFields({ merchant_controls: request });
  const controls = readMerchantControls(fields);
  fields.refuseInvalid();
  return controls;
}

function controlsOf(request: MerchantControlsRequest): MerchantControls {
  const controls = read(request);
  assert.ok(controls !== null);
  return controls;
}

describe('names', () => {
  for (const [pattern, name, matches] of [
    ['ACME', 'Acme', true],
    ['ACME', ' acme  ', true],
    ['ACME', 'Acme Shop', false],
    ['ACME*', 'ACME', true],
    ['ACME*', 'acme 123', true],
    ['ACME*', 'The Acme', false],
    ['*acme', 'The ACME', true],
    ['*acme', 'Acme Shop', false],
    ['*acme*', 'The Acme Shop', true],
    ['*acme*', 'ac me', false],
    ['PAYPAL *', 'PAYPAL *EBAY', true],
    ['PAYPAL *', 'PAYPALEBAY', false],
    ['a.me', 'acme', false],
    ['[a-z]+', 'acme', false],
    ['ＡＣＭＥ*', 'acme 1', true],
    ['acme*', 'ＡＣＭＥ　１', true],
    ['café', 'CAFE\u0301', true],
    ['cafe', 'café', false],
    ['ΟΔΟΣ*', 'οδοσα', true],
    ['*ΟΔΟΣ', 'Οδός'.normalize('NFD').replace('\u0301', ''), true],
    ['ışık', 'IŞIK', true],
    ['i*', 'I', true],
    ['ﬁsh', 'FISH', true],
    ['straße', 'STRASSE', true],
    ['STRASSE*', 'Straße 7', true],
    ['big store', 'BIG   STORE', true],
    ['big  store', 'big\tstore', true],
    ['big *', 'BIG\u00a0 STORE', true],
    ['big store', 'bigstore', false],
    ['магазин*', 'МАГАЗИН 7', true],
    ['店*', '店舗', true],
    ['Straẞe', 'STRASSE', true],
    ['STRAUẞ*', 'strauß 7', true],
    ['\ufc5e', '\u064c\u0651', true],
    ['\ufc5e*', '\u064c\u0651 7', true],
    ['*7\ufc5e', '7 \u064c\u0651', true],
    ['acme*', '\ufeffAC\u200bME\u00ad 7', true],
    ['AC\u2060ME', ' \u200b acme', true],
    ['\u1fb4*', '\u1fb3\u200b\u0301 7', true],
  ] as const) {
    test(`${pattern} ${matches ? 'names' : 'does not name'} ${JSON.stringify(name)}`, () => {
      const merchant = { ...nobody, merchant_name: name };
      const denied = controlsOf({ merchant_names: { deny: [pattern] } });
      assert.equal(brokenByMerchant(denied, merchant), matches ? 'deny' : null);
      const allowed = controlsOf({ merchant_names: { allow: [pattern] } });
      assert.equal(brokenByMerchant(allowed, merchant), matches ? null : 'allow');
    });
  }
});

describe('a merchant', () => {
  const acme = { ...nobody, merchant_id: ' M1 ', merchant_name: 'Acme' };
  for (const [name, request, merchant, broken] of [
    ['is compared by its id as written', { merchant_ids: { deny: ['m1'] } }, acme, null],
    ['is compared without blanks around its id', { merchant_ids: { deny: ['  M1'] } }, acme, 'deny'],
    ['is denied although it is allowed', { merchant_ids: { allow: ['M1'], deny: ['M1'] } }, acme, 'deny'],
    [
      'is denied by its name although its id is allowed',
      { merchant_ids: { allow: ['M1'] }, merchant_names: { deny: ['acme'] } },
      acme,
      'deny',
    ],
    [
      'is allowed by its name when its id is not listed',
      { merchant_ids: { allow: ['M2'] }, merchant_names: { allow: ['acme'] } },
      acme,
      null,
    ],
    ['without an id breaks a list of allowed ids', { merchant_ids: { allow: ['M1'] } }, nobody, 'allow'],
    ['without an id passes a list of denied ids', { merchant_ids: { deny: ['M1'] } }, nobody, null],
    ['without a name breaks a list of allowed names', { merchant_names: { allow: ['*a*'] } }, nobody, 'allow'],
    ['without a name passes a list of denied names', { merchant_names: { deny: ['*a*'] } }, nobody, null],
  ] as const satisfies readonly (readonly [string, MerchantControlsRequest, object, BrokenRule | null])[]) {
    test(name, () => {
      assert.equal(brokenByMerchant(controlsOf(request), merchant), broken);
    });
  }
});

describe('a country', () => {
  for (const [lists, merchant_country, broken] of [
    [{ allow: ['DEU', 'FRA'] }, 'DEU', null],
    [{ allow: ['DE'] }, 'DEU', null],
    [{ allow: ['DEU'] }, 'FRA', 'allow'],
    [{ allow: ['DEU'] }, 'QZZ', 'allow'],
    [{ allow: ['DEU'] }, null, 'allow'],
    [{ deny: ['DEU'] }, 'DEU', 'deny'],
    [{ deny: ['DEU'] }, 'FRA', null],
    [{ deny: ['DEU'] }, null, null],
    [{ allow: ['DEU'], deny: ['DE'] }, 'DEU', 'deny'],
  ] as const) {
    test(`${merchant_country} ${broken === null ? 'passes' : `breaks ${broken} of`} ${JSON.stringify(lists)}`, () => {
      const controls = controlsOf({ countries: lists });
      assert.equal(brokenByCountry(controls, { ...nobody, merchant_country }), broken);
    });
  }
});

describe('the presence of the card', () => {
  for (const [rule, card_present, broken] of [
    ['required', true, null],
    ['required', false, 'required'],
    ['required', null, 'required'],
    ['forbidden', true, 'forbidden'],
    ['forbidden', false, null],
    ['forbidden', null, null],
  ] as const) {
    test(`${card_present} ${broken === null ? 'passes' : 'breaks'} ${rule}`, () => {
      const controls = controlsOf({ card_present: rule });
      assert.equal(brokenByPresence(controls, { ...nobody, card_present }), broken);
    });
  }
});

describe('a request', () => {
  test('is shown with every member, trimmed, each entry once, countries as alpha-3', () => {
    const request = { merchant_ids: { deny: [' M1', 'M1 '] }, countries: { allow: ['DE', 'DEU', 'US'] } };
    assert.deepEqual(read(request), {
      merchant_ids: { allow: null, deny: ['M1'] },
      merchant_names: null,
      countries: { allow: ['DEU', 'USA'], deny: null },
      card_present: null,
    });
  });

  for (const empty of [null, {}, { merchant_ids: null }, { merchant_ids: {} }, { countries: { allow: null } }]) {
    test(`without a control is none: ${JSON.stringify(empty)}`, () => assert.equal(read(empty), null));
  }

  const longest = 'x'.repeat(merchant_entry_length_max);
  for (const [name, request, path] of [
    ['that is no object', 'ACME', 'merchant_controls'],
    ['that is a list', [], 'merchant_controls'],
    ['with a list in place of lists', { merchant_ids: ['M1'] }, 'merchant_controls.merchant_ids'],
    ['with an empty list', { merchant_ids: { allow: [] } }, 'merchant_controls.merchant_ids.allow'],
    [
      'with too many entries',
      { countries: { deny: Array.from({ length: merchant_list_max + 1 }, () => 'DE') } },
      'merchant_controls.countries.deny',
    ],
    ['with a number as an id', { merchant_ids: { deny: [7] } }, 'merchant_controls.merchant_ids.deny[0]'],
    ['with a blank id', { merchant_ids: { deny: ['M1', ' '] } }, 'merchant_controls.merchant_ids.deny[1]'],
    [
      'with an id that is too long',
      { merchant_ids: { deny: [`${longest}x`] } },
      'merchant_controls.merchant_ids.deny[0]',
    ],
    ['with U+0000', { merchant_ids: { deny: ['\0'] } }, 'merchant_controls.merchant_ids.deny[0]'],
    [
      'with half a surrogate pair',
      { merchant_names: { deny: ['\ud800'] } },
      'merchant_controls.merchant_names.deny[0]',
    ],
    [
      'with a card number',
      { merchant_names: { deny: ['5555555555554444'] } },
      'merchant_controls.merchant_names.deny[0]',
    ],
    [
      'with nothing that is seen',
      { merchant_names: { deny: ['*\u200b*'] } },
      'merchant_controls.merchant_names.deny[0]',
    ],
    ['with * alone', { merchant_names: { allow: ['*'] } }, 'merchant_controls.merchant_names.allow[0]'],
    ['with ** alone', { merchant_names: { allow: ['* *'] } }, 'merchant_controls.merchant_names.allow[0]'],
    ['with * inside', { merchant_names: { allow: ['A*B'] } }, 'merchant_controls.merchant_names.allow[0]'],
    ['with two * at an end', { merchant_names: { allow: ['A**'] } }, 'merchant_controls.merchant_names.allow[0]'],
    ['with an unknown country', { countries: { deny: ['GER'] } }, 'merchant_controls.countries.deny[0]'],
    ['with a country in small letters', { countries: { deny: ['de'] } }, 'merchant_controls.countries.deny[0]'],
    ['with an unknown presence', { card_present: 'sometimes' }, 'merchant_controls.card_present'],
    ['with a flag as the presence', { card_present: true }, 'merchant_controls.card_present'],
    ['with an unknown control', { merchants: { deny: ['M1'] } }, 'merchant_controls.merchants'],
    ['with an unknown list', { countries: { permit: ['DE'] } }, 'merchant_controls.countries.permit'],
  ] as const) {
    test(`${name} is refused at ${path}`, () => {
      assert.throws(
        () => read(request),
        (refusal: Refusal) => refusal.fields.map((field) => field.path).join() === path,
      );
    });
  }

  test('is bounded as a whole', () => {
    const ids = Array.from({ length: merchant_list_max }, (_, id) =>
      String(id).padStart(merchant_entry_length_max, 'x'),
    );
    assert.throws(
      () => read({ merchant_ids: { deny: ids } }),
      (refusal: Refusal) => refusal.message.includes(String(merchant_controls_bytes_max)),
    );
  });

  test('is read as stored, or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (merchant_ids, countries, card_present) => {
        try {
          const controls = read({ merchant_ids, merchant_names: { deny: merchant_ids }, countries, card_present });
          assert.deepEqual(read(controls), controls);
        } catch (error) {
          assert.ok(error instanceof Refusal);
        }
      }),
    );
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
/** Without stars of any width, and with a character that is seen. */
const entry = text.filter(
  (name) =>
    !name.normalize('NFKC').includes('*') && /[[\p{L}\p{N}\p{P}\p{S}]--\p{Default_Ignorable_Code_Point}]/v.test(name),
);
const pattern = fc
  .tuple(fc.boolean(), entry, fc.boolean())
  .map(([starts, name, ends]) => `${starts ? '*' : ''}${name}${ends ? '*' : ''}`);
const list = <Value>(of: fc.Arbitrary<Value>) => fc.option(fc.array(of, { minLength: 1, maxLength: 4 }));
const lists = <Value>(of: fc.Arbitrary<Value>) => fc.option(fc.record({ allow: list(of), deny: list(of) }));
const country = fc.constantFrom('DEU', 'FRA', 'USA');
const id = fc.constantFrom('M1', 'M2', 'm1');
const controls = fc.record({
  merchant_ids: lists(id),
  merchant_names: lists(pattern),
  countries: lists(country),
  card_present: fc.option(fc.constantFrom('required', 'forbidden')),
});
const merchant = fc.record({
  merchant_id: fc.option(id),
  merchant_name: fc.option(text),
  merchant_country: fc.option(country),
  card_present: fc.option(fc.boolean()),
});

function isAllowed(of: MerchantControls, by: Merchant): boolean {
  return [brokenByMerchant, brokenByCountry, brokenByPresence].every((broken) => broken(of, by) === null);
}

describe('for all controls and merchants', () => {
  test('one more denied entry never allows more', () => {
    fc.assert(
      fc.property(controls, merchant, pattern, country, id, (of, by, name, land, number) => {
        const more: MerchantControls = {
          ...of,
          merchant_ids: { allow: of.merchant_ids?.allow ?? null, deny: [...(of.merchant_ids?.deny ?? []), number] },
          merchant_names: { allow: of.merchant_names?.allow ?? null, deny: [...(of.merchant_names?.deny ?? []), name] },
          countries: { allow: of.countries?.allow ?? null, deny: [...(of.countries?.deny ?? []), land] },
        };
        assert.ok(isAllowed(of, by) || !isAllowed(more, by));
      }),
    );
  });

  test('the order of a list does not matter', () => {
    const turned = (of: MerchantControls['countries']) =>
      of && { allow: of.allow && [...of.allow].reverse(), deny: of.deny && [...of.deny].reverse() };
    fc.assert(
      fc.property(controls, merchant, (of, by) => {
        const { merchant_ids, merchant_names, countries, card_present } = of;
        const other = {
          merchant_ids: turned(merchant_ids),
          merchant_names: turned(merchant_names),
          countries: turned(countries),
          card_present,
        };
        assert.equal(isAllowed(of, by), isAllowed(other, by));
      }),
    );
  });

  test('a denied name denies exactly the names that a list of it allows', () => {
    fc.assert(
      fc.property(pattern, text, (name, merchant_name) => {
        const by = { ...nobody, merchant_name };
        const of = (lists: MerchantControls['merchant_names']) =>
          brokenByMerchant({ merchant_ids: null, merchant_names: lists, countries: null, card_present: null }, by);
        assert.equal(of({ allow: null, deny: [name] }) === 'deny', of({ allow: [name], deny: null }) === null);
      }),
    );
  });

  test('a name is named by itself in any case, form and width of its letters, whole or in part', () => {
    const cased = fc.constantFrom<(name: string) => string>(
      (name) => name,
      (name) => name.toLowerCase(),
      (name) => name.toUpperCase(),
    );
    const star = fc.constantFrom('', '*');
    const form = fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD');
    fc.assert(
      fc.property(entry, cased, form, star, star, (drawn, inCase, as, start, end) => {
        // Beside a star a blank counts, and some characters stand for one and a mark.
        const name = start + end === '' ? drawn : `x${drawn}x`;
        const of = controlsOf({ merchant_names: { deny: [`${start}${name}${end}`] } });
        assert.equal(brokenByMerchant(of, { ...nobody, merchant_name: inCase(name).normalize(as) }), 'deny');
      }),
    );
  });
});
