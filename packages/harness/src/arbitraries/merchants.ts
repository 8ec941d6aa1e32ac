import fc from 'fast-check';
import type { AuthorizationWire, MerchantControlsWire, World } from '../system.ts';

/** What a message says of its merchant, beside its id. Null: it does not say. */
export interface MerchantPlan {
  readonly name: string | null;
  readonly country: string | null;
  readonly card_present: boolean | null;
}

/** Names whose letters have several forms. */
const names = ['ACME Travel', 'acme 7', 'ＡＣＭＥ', 'Cafe\u0301 Ole\u0301', 'ΟΔΟΣ', 'Hotel (Ost)'] as const;
const patterns = ['acme*', '*TRAVEL', '*cm*', 'CAFÉ OLÉ', 'οδοσ*', '*(ost)'] as const;
const countries = ['DEU', 'FRA', 'USA'] as const;

/** Mostly with all values: most controls allow what is known. */
export function merchantPlan(): fc.Arbitrary<MerchantPlan> {
  return fc.record({
    name: fc.option(fc.constantFrom(...names), { freq: 8 }),
    country: fc.option(fc.constantFrom('DEU', ...countries), { freq: 8 }),
    card_present: fc.option(fc.boolean(), { freq: 8 }),
  });
}

/** What a message says of a merchant, if the system knows these fields. */
export function merchantOf(plan: MerchantPlan, { merchant_controls }: World): Partial<AuthorizationWire> {
  if (merchant_controls !== true) return {};
  const { name, country, card_present } = plan;
  return {
    ...(name === null ? {} : { merchant_name: name }),
    ...(country === null ? {} : { merchant_country: country }),
    ...(card_present === null ? {} : { card_present }),
  };
}

export function merchantId(merchant_pick: number): string {
  return `merchant-${merchant_pick}`;
}

/** Mostly none; else a few rules that a card can still be used with. */
export function merchantControls(): fc.Arbitrary<MerchantControlsWire | null> {
  const lists = <Value extends string>(values: readonly Value[], allowed_min: number) => {
    const some = fc.subarray([...values], { minLength: 1, maxLength: 2 });
    const most = fc.subarray([...values], { minLength: allowed_min });
    return fc.oneof(
      { withCrossShrink: true },
      { weight: 4, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.record({ allow: fc.constant(null), deny: some }) },
      { weight: 1, arbitrary: fc.record({ allow: most, deny: fc.constant(null) }) },
      { weight: 1, arbitrary: fc.record({ allow: most, deny: some }) },
    );
  };
  const controls = fc
    .record({
      merchant_ids: lists([0, 1, 2].map(merchantId), 2),
      merchant_names: lists(patterns, 4),
      countries: lists(countries, 2),
      card_present: fc.oneof(
        { withCrossShrink: true },
        { weight: 4, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom('required' as const, 'forbidden' as const) },
      ),
    })
    .map((drawn) => (Object.values(drawn).every((control) => control === null) ? null : drawn));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: controls },
  );
}
