import { defineEntity, p } from '@mikro-orm/core';
import type { BacktestStatus } from '@tallystick/cards';
import { id, int, json } from './columns.ts';

export const Backtest = defineEntity({
  name: 'Backtest',
  tableName: 'tallystick_backtests',
  properties: {
    id: id(),
    company_id: int(),
    vcn_id: int().nullable(),
    change: json(),
    from_ms: int(),
    to_ms: int(),
    /** A removed one waits for the removal of its differences. */
    status: p.text().$type<BacktestStatus | 'removed'>(),
    error: p.text().nullable(),
    last_card_id: int(),
    cards_done: int(),
    cards_total: int(),
    messages: int(),
    card_messages: int(),
    differences: int(),
    sums: json(),
    created_at_ms: int(),
    finished_at_ms: int().nullable(),
    /** One of the places of its company for those that wait or run; null: it is over. */
    slot: int().nullable(),
    lease: p.text().nullable(),
    /** When its lease ends. Without a lease: when its last turn ended. */
    lease_until_machine_ms: int(),
  },
  indexes: [
    { name: 'tallystick_backtests_page', properties: ['company_id', 'id'] },
    { name: 'tallystick_backtests_age', properties: ['created_at_ms'] },
    { name: 'tallystick_backtests_removed', properties: ['id'], where: "status = 'removed'" },
  ],
  uniques: [{ name: 'tallystick_backtests_open', properties: ['company_id', 'slot'], where: 'slot is not null' }],
});

export const BacktestDifference = defineEntity({
  name: 'BacktestDifference',
  tableName: 'tallystick_backtest_differences',
  properties: {
    id: id(),
    backtest_id: int(),
    card_id: int(),
    difference: json(),
  },
  indexes: [{ name: 'tallystick_backtest_differences_page', properties: ['backtest_id', 'id'] }],
});
