import { type AccountBridge, type BridgeDifference, toCsvRow } from '@tallystick/reconciliation';
import { count, showDecimal } from '../amount-text.ts';
import { formatColumns } from './text-table.ts';

/** A bridge for people: from balance to balance, with the differences by kind. */
export function describeBridge(bridge: AccountBridge): string {
  const { account, booking_date, unexplained } = bridge;
  const { currency } = account;
  const show = (amount: number) => showDecimal(amount, currency);
  const differencesOf = (step: BridgeDifference['step'], indent: string): readonly string[][] => {
    const of_step = bridge.differences.filter((difference) => difference.step === step);
    return [...Map.groupBy(of_step, ({ kind }) => kind)].map(([kind, of_kind]) => [
      `${indent}${kind}`,
      show(of_kind.reduce((sum, { amount }) => sum + amount, 0)),
      `${count(of_kind.length)} ${of_kind.length === 1 ? 'difference' : 'differences'}`,
    ]);
  };
  const rows = [
    ['opening balance', show(bridge.opening_balance)],
    ['card lines', show(bridge.card_lines)],
    ['  clearings', show(bridge.clearings)],
    ['    authorized', show(bridge.authorized)],
    ...differencesOf('authorization', '    '),
    ['  fees', show(bridge.fees)],
    ...differencesOf('statement', '  '),
    ['  unexplained', show(bridge.unexplained_sum), `${count(unexplained.length)} of the lines`],
    ['other lines', show(bridge.other_lines)],
    ['closing balance', show(bridge.closing_balance)],
  ];
  const { from, to } = booking_date;
  const dates =
    from === undefined && to === undefined ? 'all dates' : `${from ?? 'the first line'} to ${to ?? 'the last'}`;
  const [, ...table] = formatColumns([{ head: '' }, { head: '', is_number: true }, { head: '' }], rows, '  ');
  return [`Account ${account.number} of company ${account.company_id}, ${currency}, ${dates}`, ...table].join('\n');
}

/** The differences and the unexplained lines of a bridge as a table in CSV. */
export function* bridgeTable({ differences, unexplained, account }: AccountBridge): Generator<string> {
  yield toCsvRow(['step', 'kind', 'item_id', 'line_id', 'amount', 'currency']);
  for (const { step, kind, item_id, amount } of differences) {
    yield toCsvRow([step, kind, item_id, null, amount, account.currency]);
  }
  for (const { line_id, amount } of unexplained) {
    yield toCsvRow(['statement', 'unexplained', null, line_id, amount, account.currency]);
  }
}
