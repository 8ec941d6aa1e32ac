import type { BookingSign } from '@tallystick/accounts';
import { type Collected, EntryProblem, minorUnitsOf, signedAmount, signOf } from './entry.ts';

interface Total {
  count: number;
  /** Without signs. */
  sum: bigint;
}

/** Counts and sums of the entries of a statement, as its summary (`TxsSummry`) states them. */
export class EntryTotals {
  readonly credit: Total = { count: 0, sum: 0n };
  readonly debit: Total = { count: 0, sum: 0n };

  add(sign: BookingSign, amount: number): void {
    this[sign].count += 1;
    this[sign].sum += BigInt(amount);
  }
}

/**
 * Compares the summary of a statement with its entries: every count and sum that it states must be
 * that of all entries, or that of the booked ones. Returns what differs, or null.
 */
export function compareSummary(
  summary: Collected,
  currency: string,
  all: EntryTotals,
  booked: EntryTotals,
): EntryProblem | null {
  return differenceFrom(summary, currency, all) === null ? null : differenceFrom(summary, currency, booked);
}

function differenceFrom(summary: Collected, currency: string, { credit, debit }: EntryTotals): EntryProblem | null {
  const both: Total = { count: credit.count + debit.count, sum: credit.sum + debit.sum };
  const totals: readonly (readonly [name: string, total: Total])[] = [
    ['TtlNtries', both],
    ['TtlCdtNtries', credit],
    ['TtlDbtNtries', debit],
  ];
  for (const [name, { count, sum }] of totals) {
    const stated_count = summary.get(`${name}/NbOfNtries`);
    if (stated_count !== '' && !(/^\d{1,15}$/.test(stated_count) && Number(stated_count) === count)) {
      return new EntryProblem('count_differs', `${name}/NbOfNtries must be ${count}, the number of entries`);
    }
    const stated_sum = summary.get(`${name}/Sum`);
    if (stated_sum === '') continue;
    const amount = minorUnitsOf(stated_sum, currency);
    if (amount === null || BigInt(amount) !== sum) {
      return new EntryProblem('sum_differs', `${name}/Sum must be the sum of the entries, ${sum} in minor units`);
    }
  }
  const net_path = summary.has('TtlNtries/TtlNetNtry/Amt') ? 'TtlNtries/TtlNetNtry/Amt' : 'TtlNtries/TtlNetNtryAmt';
  if (!summary.has(net_path)) return null;
  const amount = minorUnitsOf(summary.get(net_path), currency);
  const sign = signOf(summary.get('TtlNtries/TtlNetNtry/CdtDbtInd') || summary.get('TtlNtries/CdtDbtInd'));
  const net = credit.sum - debit.sum;
  const is_net =
    amount !== null && (sign === null ? BigInt(amount) === abs(net) : BigInt(signedAmount(amount, sign)) === net);
  return is_net ? null : new EntryProblem('sum_differs', `the net amount of the summary must be ${net} in minor units`);
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
