import { type AccountBridge, type BridgeDifference, toCsvRow, type UnexplainedLine } from '@tallystick/reconciliation';
import { formatTable, wrapText } from '@tallystick/server';
import { count, showDecimal } from '../words.ts';

/** Describes a bridge for people: from balance to balance, with the differences by kind. */
export function describeBridge(bridge: AccountBridge): string {
  const { account, booking_date } = bridge;
  const { currency } = account;
  const show = (amount: number) => showDecimal(amount, currency);
  const differencesOf = (step: BridgeDifference['step'], indent: string): readonly string[][] =>
    bridge.difference_sums
      .filter((one) => one.step === step)
      .map(({ kind, count: found, sum }) => [
        `${indent}${kind}`,
        show(sum),
        `${count(found)} ${found === 1 ? 'difference' : 'differences'}`,
      ]);
  const rows = [
    ['opening balance', show(bridge.opening_balance)],
    ['card lines', show(bridge.card_lines)],
    ['  clearings', show(bridge.clearings)],
    ['    authorized', show(bridge.authorized)],
    ...differencesOf('authorization', '    '),
    ['  fees', show(bridge.fees)],
    ...differencesOf('statement', '  '),
    ['  unexplained', show(bridge.unexplained_sum), `${count(bridge.unexplained_count)} of the lines`],
    ['other lines', show(bridge.other_lines)],
    ['closing balance', show(bridge.closing_balance)],
  ];
  const { from, to } = booking_date;
  const dates =
    from === undefined && to === undefined ? 'all dates' : `${from ?? 'the first line'} to ${to ?? 'the last'}`;
  const [, ...table] = formatTable(['', { head: '', is_number: true }, ''], rows, { indent: '  ' }).split('\n');
  const head = `Account ${account.number} of company ${account.company_id}, ${currency}, ${dates}`;
  return [wrapText(head, '', '  '), ...table].join('\n');
}

/** A table in CSV of the differences and the unexplained lines of a bridge, written row by row. */
export class BridgeTable {
  readonly #write: (row: string) => unknown;
  readonly #currency: string;

  constructor(currency: string, write: (row: string) => unknown) {
    this.#write = write;
    this.#currency = currency;
    write(toCsvRow(['step', 'kind', 'item_id', 'line_id', 'amount', 'currency']));
  }

  addDifference({ step, kind, item_id, amount }: BridgeDifference): void {
    this.#write(toCsvRow([step, kind, item_id, null, amount, this.#currency]));
  }

  addUnexplained({ line_id, amount }: UnexplainedLine): void {
    this.#write(toCsvRow(['statement', 'unexplained', null, line_id, amount, this.#currency]));
  }
}
