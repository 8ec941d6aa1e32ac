import type { Clearing } from './clearing.ts';
import { isSameChoices } from './match-choice.ts';

/** The fields of a clearing that a later message may change: its ids, its match and its effect. */
export const changing_clearing_fields = [
  'network_financial_transaction_id',
  'synthetic_id',
  'paired_transaction_id',
  'net_reference_number',
  'authorization_date',
  'sent',
  'authorization_id',
  'clearing_id',
  'match_rule',
  'review',
  'class',
  'window_start_ms',
  'cleared_effect',
  'hold_effect',
  'uses',
  'choices',
] as const satisfies readonly (keyof Clearing)[];

/** The new state of these fields of a recorded clearing. */
export type ClearingChange = Pick<Clearing, 'id' | 'card_id' | (typeof changing_clearing_fields)[number]>;

/** The part of a clearing that a pass may change. */
export function clearingChangeOf(clearing: Clearing): ClearingChange {
  const { id, card_id } = clearing;
  const fields = changing_clearing_fields.map((name) => [name, clearing[name]]);
  return { id, card_id, ...Object.fromEntries(fields) };
}

/** Whether two states of a clearing differ in nothing that a pass may change. */
export function isSameClearing(one: Clearing, other: Clearing): boolean {
  return changing_clearing_fields.every((name) => {
    if (one[name] === other[name]) return true;
    if (name === 'sent') return JSON.stringify(one.sent) === JSON.stringify(other.sent);
    return name === 'choices' && isSameChoices(one.choices, other.choices);
  });
}
