import { withReferences } from '../format-abilities.ts';
import { buy } from './credits.ts';
import { byReference } from './purchases.ts';
import { kind, type ScenarioDraft, type ScenarioKind } from './scenario.ts';

/**
 * Covering sets have amounts of their own: a unit times a power of the base. In sets of different
 * powers no members of one add up to a record of another, because the digits of one set add up to
 * less than the base. So each of these scenarios has a slot: a power, and a date that is more than
 * 6 days from those of the same power.
 */
const covering = { unit: 10, base: 12, powers: 5, first_day: 3, days: 7, windows: 4 } as const;

const covering_slots = covering.powers * covering.windows;

/**
 * An amount for clearings that have no line. It is larger than any five lines without a reference
 * (4, 3, 2 and 1 units of the highest power, and 4 of the one below, are 2,142,720), so that such a
 * clearing is in no set by chance.
 */
function largeAmount({ draw }: ScenarioDraft): number {
  return draw.between(22_000, 40_000) * 100;
}

/** Scenarios of lines that are there, and differ. */
const stated: readonly ScenarioKind[] = [
  kind('line_of_another_amount', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const clearing = buy(draft, purchase, { cleared: purchase.amount });
    const amount = purchase.amount + draft.draw.pick([-99, -1, 1, 50]);
    draft.statement.book(clearing, { amount, fit: 'rest' });
  }),
  kind('line_booked_twice', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const clearing = buy(draft, purchase, { cleared: purchase.amount });
    draft.statement.book(clearing);
    draft.statement.book(clearing, { lag: 1, fit: 'rest' });
  }),
  kind('purchase_with_fee', { weight: 3, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const clearing = buy(draft, purchase, { cleared: purchase.amount });
    draft.statement.book(clearing);
    draft.statement.book(clearing, { lag: 1, amount: feeOf(purchase.amount), bai_code: '825', fit: 'fee' });
  }),
  kind('purchase_with_fee_refunded', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase();
    const clearing = buy(draft, purchase, { cleared: purchase.amount });
    draft.statement.book(clearing);
    draft.statement.book(clearing, { amount: feeOf(purchase.amount), bai_code: '825', fit: 'fee' });
    draft.statement.book(clearing, { lag: 2, amount: -feeOf(purchase.amount), bai_code: '826', fit: 'fee' });
  }),
];

/** Scenarios of lines or clearings that are missing. */
const missing: readonly ScenarioKind[] = [
  kind('settled_before_the_first_statement', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase({ amount: largeAmount(draft) });
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    const clearing = draft.clear(purchase, { days: 0 }, { ...byReference(draft, purchase), class: 'exact' });
    draft.statement.leaveOut(clearing);
  }),
  kind('line_missing', { weight: 2, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase({ amount: largeAmount(draft) });
    const days = draft.draw.between(1, 28);
    draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
    const clearing = draft.clear(purchase, { days }, { ...byReference(draft, purchase), class: 'exact' });
    draft.statement.leaveOut(clearing);
  }),
  kind('force_post_without_line', { weight: 1, records: withReferences(1) }, (draft) => {
    const purchase = draft.purchase({ amount: largeAmount(draft) });
    const clearing = draft.clear(purchase, {}, { rule: 8, class: 'force_post' });
    draft.standsAlone(purchase.amount, 1);
    draft.statement.leaveOut(clearing);
  }),
  kind('line_without_clearing', { weight: 2, records: withReferences(0) }, (draft) => {
    const acquirer_reference = draft.acquirerReference();
    draft.statement.bookAlone({
      booking_days: draft.draw.between(1, 40),
      amount: draft.amount(),
      acquirer_reference,
    });
  }),
  kind('fee_without_purchase', { weight: 1, records: withReferences(0) }, (draft) => {
    const acquirer_reference = draft.acquirerReference();
    const booking_days = draft.draw.between(1, 40);
    draft.statement.bookAlone({ booking_days, amount: 150, bai_code: '825', acquirer_reference });
  }),
  kind('other_booking', { weight: 2, records: withReferences(0) }, ({ draw, statement }) => {
    const [code, sign, text] = draw.pick([
      ['495', -1, 'RENT'],
      ['195', 1, 'CUSTOMER PAYMENT'],
      ['354', 1, 'INTEREST'],
      ['698', -1, 'ACCOUNT FEE'],
    ] as const);
    statement.bookOther(draw.between(1, 40), code, sign * draw.between(1, 50_000), text);
  }),
];

const covering_sets: readonly ScenarioKind[] = [
  coveringKind('lines_that_make_up_a_clearing', 1, (draft, unit, days) => {
    const clearing = buyOn(draft, 5 * unit, days);
    draft.statement.book(clearing, { amount: 2 * unit, lag: 0, reference: 'none', fit: 'set' });
    draft.statement.book(clearing, { amount: 3 * unit, lag: 2, reference: 'none', fit: 'set' });
  }),
  coveringKind('line_that_makes_up_clearings', 2, (draft, unit, days) => {
    const clearings = [buyOn(draft, 2 * unit, days), buyOn(draft, 3 * unit, days)];
    draft.statement.bookFor(clearings, { lag: 1, reference: 'none', fit: 'set' });
  }),
  coveringKind('line_without_reference', 1, (draft, unit, days) => {
    const clearing = buyOn(draft, 5 * unit, days);
    draft.statement.book(clearing, { lag: 1, reference: 'none', fit: 'set' });
  }),
  coveringKind('lines_of_several_sets', 1, (draft, unit, days) => {
    const clearing = buyOn(draft, 5 * unit, days);
    draft.statement.leaveOut(clearing, 2);
    for (const [place, count] of [1, 4, 2, 3].entries()) {
      const booking_days = days + (place % 3);
      draft.statement.bookAlone({ booking_days, amount: count * unit, acquirer_reference: null, offers: 1 });
    }
  }),
];

export const statement_scenarios: readonly ScenarioKind[] = [...stated, ...missing, ...covering_sets];

/** How many kinds of covering sets a deck has, each once. */
const covering_kinds = covering_sets.length;

/** A kind of covering sets. When all slots are taken, it has plain purchases instead. */
function coveringKind(
  name: string,
  count: number,
  writeSet: (draft: ScenarioDraft, unit: number, days: number) => void,
): ScenarioKind {
  return kind(name, { weight: 1, records: withReferences(count) }, (draft) => {
    const slot = draft.deck * covering_kinds + covering_sets.findIndex((one) => one.name === name);
    if (slot >= covering_slots) {
      for (let made = 0; made < count; made += 1) {
        const purchase = draft.purchase();
        buy(draft, purchase, { cleared: purchase.amount });
      }
      return;
    }
    const unit = covering.unit * covering.base ** (slot % covering.powers);
    writeSet(draft, unit, covering.first_day + covering.days * Math.floor(slot / covering.powers));
  });
}

/** A purchase that settles so many days after the day of the set. */
function buyOn(draft: ScenarioDraft, amount: number, days: number) {
  const purchase = draft.purchase({ amount });
  draft.advise(purchase, { status: 'cleared', cleared: amount });
  return draft.clear(purchase, { days }, { ...byReference(draft, purchase), class: 'exact' });
}

/** A foreign transaction fee of 1 %. */
function feeOf(amount: number): number {
  return amount / 100;
}
