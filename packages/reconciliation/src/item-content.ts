import type { ItemContent } from './item.ts';

/** How each field of an item's content is compared. */
const comparisons: Readonly<Record<keyof ItemContent, 'value' | 'list'>> = {
  id: 'value',
  company_id: 'value',
  status: 'value',
  kind: 'value',
  class: 'value',
  rule: 'value',
  vcn_id: 'value',
  merchant_name: 'value',
  authorization_ids: 'list',
  clearing_ids: 'list',
  line_ids: 'list',
  matches: 'list',
  alternatives: 'list',
  authorized: 'value',
  cleared: 'value',
  stated: 'value',
  fees: 'value',
  difference: 'value',
  currency: 'value',
  sides: 'value',
  settlement_date: 'value',
  period_date: 'value',
  due_date: 'value',
  next_change_ms: 'value',
  opened_at_ms: 'value',
};

const names = Object.keys(comparisons) as (keyof ItemContent)[];
const values = names.filter((name) => comparisons[name] === 'value');
const lists = names.filter((name) => comparisons[name] === 'list');

/** Whether two states of an item have the same content. */
export function isSameContent(one: ItemContent, other: ItemContent): boolean {
  return (
    values.every((name) => one[name] === other[name]) &&
    lists.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
  );
}
