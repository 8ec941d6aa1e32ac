import {
  dateOf,
  daysBetween,
  type Entry,
  type Item,
  isNearSide,
  type NearQuestion,
  near_columns,
  near_days_max,
  near_items_examined_max,
  near_items_max,
} from '@tallystick/reconciliation';

/** The ids of the items near a question: see `ReconciliationStore.nearItems`. */
export function nearItemsOf(
  items: readonly Item[],
  entries: readonly Entry[],
  { side, currency, vcn_id, amount, date, key }: NearQuestion,
): readonly number[] {
  const { has, date: column, record } = near_columns[side];
  const places = items
    .filter((item) => isNearSide(item, side) && (vcn_id === null ? item.currency === currency : item.vcn_id === vcn_id))
    .map((item) => ({ id: item.id, amount: item[has]!, day: item[column]! }))
    .filter((place) => Math.sign(place.amount) === Math.sign(amount))
    .sort((a, b) => a.amount - b.amount || (a.day < b.day ? -1 : a.day > b.day ? 1 : a.id - b.id));
  const daysTo = ({ day }: { readonly day: string | number }) =>
    daysBetween(date, typeof day === 'number' ? dateOf(day) : day);
  const isWithin = (place: { readonly day: string | number }) => Math.abs(daysTo(place)) <= near_days_max;
  const same = places.filter((place) => place.amount === amount && isWithin(place));
  const greater = places.filter((place) => place.amount > amount).slice(0, near_items_examined_max);
  const smaller = places
    .filter((place) => place.amount < amount)
    .toReversed()
    .slice(0, near_items_examined_max);
  const keyed = entries.filter((entry) => vcn_id === null && entry.key === key && entry.record.kind === record);
  const found = [
    ...same
      .filter((place) => daysTo(place) <= 0)
      .toReversed()
      .slice(0, near_items_max),
    ...same.filter((place) => daysTo(place) > 0).slice(0, near_items_max),
    ...greater.filter(isWithin).slice(0, near_items_max),
    ...smaller.filter(isWithin).slice(0, near_items_max),
  ].map(({ id }) => id);
  const of_key = keyed.sort((a, b) => a.record.id - b.record.id).slice(0, near_items_max);
  return [...new Set([...found, ...of_key.map(({ item_id }) => item_id)])];
}
