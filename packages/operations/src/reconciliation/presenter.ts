import { toInstantText } from '@tallystick/kernel';
import {
  type Act,
  type Alternative,
  ageOfItem,
  type ExplainedItem,
  type Item,
  type ItemMatch,
  type Period,
  type TableAnswer,
} from '@tallystick/reconciliation';

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

function presentMatch({ side, rule, class: found, authorization_id, clearing_ids, line_ids, values }: ItemMatch) {
  return { side, rule, class: found, authorization_id, clearing_ids, line_ids, values };
}

function presentAlternative({ rule, reason, authorization_id, clearing_ids, line_ids }: Alternative) {
  return { rule, reason, authorization_id, clearing_ids, line_ids };
}

export function presentAct({ at_ms, actor, action, item_id, note, reason }: Act) {
  return { at: toInstantText(at_ms), actor, action, item_id: String(item_id), note, reason };
}

/** The result of a table of decisions. */
export function presentTableAnswer({ dry_run, rows, skipped, decided, unchanged, errors, errors_total }: TableAnswer) {
  return { dry_run, rows, skipped, decided, unchanged, errors, errors_total };
}

/** A closed period. */
export function presentPeriod(period: Period) {
  const { reopened_at_ms } = period;
  return {
    id: String(period.id),
    closed_through: period.closed_through,
    status: period.status,
    frozen: period.frozen,
    open_breaks: period.open_breaks,
    closed_at: toInstantText(period.closed_at_ms),
    closed_by: period.closed_by,
    reopened_at: reopened_at_ms === null ? null : toInstantText(reopened_at_ms),
    reopened_by: period.reopened_by,
    type: 'reconciliation_period' as const,
  };
}
