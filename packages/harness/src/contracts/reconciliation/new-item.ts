import { money } from '@tallystick/kernel';
import type { Item } from '@tallystick/reconciliation';

/** A matched item of 0 USD that has nothing but what `fields` say. */
export function newItem(fields: Pick<Item, 'id' | 'company_id'> & Partial<Item>): Item {
  return {
    status: 'matched',
    kind: null,
    class: null,
    rule: null,
    vcn_id: null,
    merchant_name: null,
    authorization_ids: [],
    clearing_ids: [],
    line_ids: [],
    statement_line_id: null,
    matches: [],
    alternatives: [],
    tolerated: [],
    authorized: null,
    cleared: null,
    stated: null,
    fees: money(0),
    difference: money(0),
    currency: 'USD',
    sides: 2,
    settlement_date: null,
    period_date: fields.settlement_date ?? null,
    account_id: null,
    booking_date: null,
    due_date: null,
    next_change_ms: null,
    opened_at_ms: 0,
    frozen_item_id: null,
    is_touched: false,
    version: 1,
    period_id: null,
    assignee: null,
    ...fields,
  };
}
