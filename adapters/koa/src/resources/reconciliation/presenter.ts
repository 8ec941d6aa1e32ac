import { toInstantText } from '@tallystick/kernel';
import {
  type Act,
  type Alternative,
  ageOfItem,
  type ExplainedItem,
  type Item,
  type ItemMatch,
} from '@tallystick/reconciliation';
import type { MinimalItem } from '../../answer/answer.ts';

export const items_path = '/v1/reconciliation/items';

/** An item as lists show it. `today` is the UTC date from which its age is counted. */
export function presentItem(item: Item, today: string) {
  return {
    id: String(item.id),
    version: item.version,
    status: item.status,
    kind: item.kind,
    class: item.class,
    rule: item.rule,
    sides: item.sides,
    vcn_id: item.vcn_id,
    merchant_name: item.merchant_name,
    authorization_ids: item.authorization_ids,
    clearing_ids: item.clearing_ids,
    line_ids: item.line_ids,
    authorized: item.authorized,
    cleared: item.cleared,
    stated: item.stated,
    fees: item.fees,
    difference: item.difference,
    currency: item.currency,
    settlement_date: item.settlement_date,
    due_date: item.due_date,
    age_days: ageOfItem(item, today),
    period_id: item.period_id,
    opened_at: toInstantText(item.opened_at_ms),
    matches: item.matches.map(presentMatch),
    alternatives: item.alternatives.map(presentAlternative),
    type: 'reconciliation_item' as const,
    url: `${items_path}/${item.id}`,
  };
}

/** An item with what people did to it, the oldest act first. */
export function presentExplainedItem({ item, history, has_more_alternatives }: ExplainedItem, today: string) {
  return { ...presentItem(item, today), has_more_alternatives, history: history.map(presentAct) };
}

/** The fields of an item with `Prefer: return-minimal`. */
export function presentMinimalItem({ id }: Item): MinimalItem {
  return { id: String(id), type: 'reconciliation_item', url: `${items_path}/${id}` };
}

function presentMatch({ side, rule, class: found, authorization_id, clearing_ids, line_ids, values }: ItemMatch) {
  return { side, rule, class: found, authorization_id, clearing_ids, line_ids, values };
}

function presentAlternative({ rule, reason, authorization_id, clearing_ids, line_ids }: Alternative) {
  return { rule, reason, authorization_id, clearing_ids, line_ids };
}

export function presentAct({ at_ms, actor, action, item_id, note, reason }: Act) {
  return { at: toInstantText(at_ms), actor, action, item_id: String(item_id), note, reason };
}
