import { defineEntity, p } from '@mikro-orm/core';
import {
  type ActKind,
  type Approval,
  type Item,
  type MatchCell,
  near_columns,
  near_sides,
  type Period,
  type RecordKind,
} from '@tallystick/reconciliation';
import { near_scopes, nearCondition } from '../near-items.ts';
import { givenId, id, int, json, money } from './columns.ts';

/** Records that reconciliation has not taken into account yet. Triggers write it. */
export const ReconciliationInbox = defineEntity({
  name: 'ReconciliationInbox',
  tableName: 'tallystick_reconciliation_inbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    company_id: int(),
    /** `account`: the first statement of an account changed, so more clearings need a line. */
    kind: p.text().$type<RecordKind | 'account'>(),
    record_id: int(),
  },
  indexes: [{ name: 'tallystick_reconciliation_inbox_company', properties: ['company_id', 'id'] }],
});

/** How far the items of each company are. Its lock is the turn of a company. */
export const ReconciliationCompany = defineEntity({
  name: 'ReconciliationCompany',
  tableName: 'tallystick_reconciliation_companies',
  properties: {
    company_id: givenId(),
    coverage: json(),
    tolerances: json(),
    walk: json().nullable(),
    unsearched: json().nullable(),
    leftover_walks: int().default(0),
  },
  indexes: [
    {
      name: 'tallystick_reconciliation_companies_walking',
      properties: ['company_id'],
      where: 'walk is not null or unsearched is not null',
    },
  ],
});

/** Clearings and card lines by the key under which pairs are found. */
export const ReconciliationEntry = defineEntity({
  name: 'ReconciliationEntry',
  tableName: 'tallystick_reconciliation_entries',
  properties: {
    company_id: p.bigint('number').primary(),
    key: p.text().primary(),
    kind: p.text().primary().$type<RecordKind>(),
    record_id: p.bigint('number').primary(),
    item_id: int(),
  },
});

/**
 * When the index of each amount of an item has the item: an amount that is equal to the one before
 * it is found by that.
 */
export const indexed_amounts = {
  authorized: 'authorized is not null',
  cleared: 'cleared is not null and cleared is distinct from authorized',
  stated: 'stated is not null and stated is distinct from coalesce(cleared, authorized)',
} as const;

/** Items of reconciliation. Lists are JSON. */
export const ReconciliationItem = defineEntity({
  name: 'ReconciliationItem',
  tableName: 'tallystick_reconciliation_items',
  properties: {
    id: givenId(),
    company_id: int(),
    status: p.text().$type<Item['status']>(),
    kind: p.text().$type<NonNullable<Item['kind']>>().nullable(),
    class: p.text().$type<NonNullable<Item['class']>>().nullable(),
    rule: p.text().$type<NonNullable<Item['rule']>>().nullable(),
    vcn_id: int().nullable(),
    merchant_name: p.text().nullable(),
    authorization_ids: p.text(),
    clearing_ids: p.text(),
    line_ids: p.text(),
    statement_line_id: int().nullable(),
    matches: p.text(),
    alternatives: p.text(),
    tolerated: p.text(),
    authorized: money().nullable(),
    cleared: money().nullable(),
    stated: money().nullable(),
    fees: money(),
    difference: money(),
    currency: p.text(),
    sides: int().$type<Item['sides']>(),
    settlement_date: p.text().nullable(),
    period_date: p.text().nullable(),
    account_id: int().nullable(),
    booking_date: p.text().nullable(),
    due_date: p.text().nullable(),
    next_change_ms: int().nullable(),
    opened_at_ms: int(),
    frozen_item_id: int().nullable(),
    /** 1 or 0. */
    is_touched: int(),
    version: int(),
    period_id: int().nullable(),
    assignee: p.text().nullable(),
  },
  indexes: [
    { name: 'tallystick_reconciliation_items_page', properties: ['company_id', 'status', 'opened_at_ms', 'id'] },
    {
      name: 'tallystick_reconciliation_items_kind',
      properties: ['company_id', 'kind', 'opened_at_ms', 'id'],
      where: 'kind is not null',
    },
    {
      name: 'tallystick_reconciliation_items_class',
      properties: ['company_id', 'class', 'opened_at_ms', 'id'],
      where: "class is not null and class <> 'exact'",
    },
    {
      name: 'tallystick_reconciliation_items_card',
      properties: ['vcn_id', 'opened_at_ms', 'id'],
      where: 'vcn_id is not null',
    },
    {
      name: 'tallystick_reconciliation_items_period',
      properties: ['company_id', 'period_date', 'id', 'opened_at_ms'],
      where: 'period_date is not null',
    },
    {
      name: 'tallystick_reconciliation_items_merchant',
      properties: ['company_id', 'merchant_name', 'opened_at_ms', 'id'],
      where: 'merchant_name is not null',
    },
    {
      name: 'tallystick_reconciliation_items_assignee',
      properties: ['company_id', 'assignee', 'opened_at_ms', 'id'],
      where: 'assignee is not null',
    },
    {
      name: 'tallystick_reconciliation_items_account',
      properties: ['account_id', 'status', 'opened_at_ms', 'id'],
      where: 'account_id is not null',
    },
    {
      name: 'tallystick_reconciliation_items_booked',
      properties: ['company_id', 'booking_date', 'opened_at_ms', 'id'],
      where: 'booking_date is not null',
    },
    ...Object.entries(indexed_amounts).map(([column, where]) => ({
      name: `tallystick_reconciliation_items_amount_${column}`,
      properties: ['company_id', column, 'opened_at_ms', 'id', 'status'] as (keyof Item)[],
      where,
    })),
    {
      name: 'tallystick_reconciliation_items_next',
      properties: ['next_change_ms', 'company_id'],
      where: 'next_change_ms is not null',
    },
    ...near_sides.map((side) => ({
      name: `tallystick_reconciliation_items_${side}`,
      properties: [...near_scopes[side], near_columns[side].has, near_columns[side].date, 'id'] as (keyof Item)[],
      where: nearCondition(side),
    })),
    { name: 'tallystick_reconciliation_items_frozen', properties: ['period_id', 'id'], where: 'period_id is not null' },
  ],
});

/** Counts and sums of items of one description. What a description does not have is ''. */
export const ReconciliationCell = defineEntity({
  name: 'ReconciliationCell',
  tableName: 'tallystick_reconciliation_cells',
  properties: {
    company_id: p.bigint('number').primary(),
    currency: p.text().primary(),
    status: p.text().primary().$type<Item['status']>(),
    kind: p.text().primary().$type<NonNullable<Item['kind']> | ''>(),
    class: p.text().primary().$type<NonNullable<Item['class']> | ''>(),
    due_date: p.text().primary(),
    count: int(),
    sum: int(),
  },
});

/** How the numbers of open breaks changed on each day. */
export const ReconciliationBreakDay = defineEntity({
  name: 'ReconciliationBreakDay',
  tableName: 'tallystick_reconciliation_break_days',
  properties: {
    company_id: p.bigint('number').primary(),
    day: p.text().primary(),
    currency: p.text().primary(),
    due_date: p.text().primary(),
    count: int(),
  },
});

/** Counts of items and of their matches. A date or rule that these do not have is ''. */
export const ReconciliationMatchCell = defineEntity({
  name: 'ReconciliationMatchCell',
  tableName: 'tallystick_reconciliation_match_cells',
  properties: {
    company_id: p.bigint('number').primary(),
    settlement_date: p.text().primary(),
    rule: p.text().primary().$type<NonNullable<MatchCell['rule']> | ''>(),
    side: p.text().primary().$type<MatchCell['side']>(),
    count: int(),
  },
});

/** What people did to items. Rows are only inserted. */
export const ReconciliationAct = defineEntity({
  name: 'ReconciliationAct',
  tableName: 'tallystick_reconciliation_acts',
  properties: {
    id: id(),
    company_id: int(),
    at_ms: int(),
    actor: p.text(),
    action: p.text().$type<ActKind>(),
    item_id: int(),
    subject: json(),
    note: p.text(),
    reason: p.text().nullable(),
    request_id: p.text().nullable(),
  },
  indexes: [
    {
      name: 'tallystick_reconciliation_acts_counted',
      properties: ['company_id'],
      where: "action in ('confirm', 'unmatch')",
    },
  ],
});

/** The records that acts concern, as `itemIdOf` numbers them. A trigger writes the rows. */
export const ReconciliationActRecord = defineEntity({
  name: 'ReconciliationActRecord',
  tableName: 'tallystick_reconciliation_act_records',
  properties: {
    company_id: p.bigint('number').primary(),
    record: p.bigint('number').primary(),
    act_id: p.bigint('number').primary(),
  },
});

/** What people said about items. Rows are only inserted. */
export const ReconciliationComment = defineEntity({
  name: 'ReconciliationComment',
  tableName: 'tallystick_reconciliation_comments',
  properties: {
    id: id(),
    company_id: int(),
    at_ms: int(),
    actor: p.text(),
    item_id: int(),
    text: p.text(),
  },
  indexes: [{ name: 'tallystick_reconciliation_comments_item', properties: ['company_id', 'item_id', 'id'] }],
});

/** Acts that wait for a second person, or did. */
export const ReconciliationApproval = defineEntity({
  name: 'ReconciliationApproval',
  tableName: 'tallystick_reconciliation_approvals',
  properties: {
    id: id(),
    company_id: int(),
    action: p.text().$type<Approval['action']>(),
    item_id: int().nullable(),
    version: int().nullable(),
    amount: int().nullable(),
    currency: p.text().nullable(),
    request: json(),
    status: p.text().$type<Approval['status']>(),
    asked_by: p.text(),
    asked_at_ms: int(),
    decided_by: p.text().nullable(),
    decided_at_ms: int().nullable(),
    decided_note: p.text().nullable(),
  },
  indexes: [
    { name: 'tallystick_reconciliation_approvals_page', properties: ['company_id', 'id'] },
    { name: 'tallystick_reconciliation_approvals_status', properties: ['company_id', 'status', 'id'] },
    { name: 'tallystick_reconciliation_approvals_item', properties: ['company_id', 'item_id', 'status', 'id'] },
    { name: 'tallystick_reconciliation_approvals_asked', properties: ['company_id', 'asked_by', 'id'] },
  ],
});

/** The records that open approvals are about, as `itemIdOf` numbers them. */
export const ReconciliationApprovalRecord = defineEntity({
  name: 'ReconciliationApprovalRecord',
  tableName: 'tallystick_reconciliation_approval_records',
  properties: {
    company_id: p.bigint('number').primary(),
    record: p.bigint('number').primary(),
    approval_id: p.bigint('number').primary(),
  },
});

export const ReconciliationPeriod = defineEntity({
  name: 'ReconciliationPeriod',
  tableName: 'tallystick_reconciliation_periods',
  properties: {
    id: id(),
    company_id: int(),
    closed_through: p.text(),
    last_clearing_id: int(),
    last_line_id: int(),
    status: p.text().$type<Period['status']>(),
    closed_at_ms: int(),
    closed_by: p.text(),
    frozen: int(),
    open_breaks: int(),
    reopened_at_ms: int().nullable(),
    reopened_by: p.text().nullable(),
    reopened_note: p.text().nullable(),
    reopened_reason: p.text().nullable(),
  },
  indexes: [{ name: 'tallystick_reconciliation_periods_page', properties: ['company_id', 'id'] }],
});
