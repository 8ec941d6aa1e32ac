import type { BookingSign } from '@tallystick/accounts';
import { decimalOf, minorUnitsOf } from '../decimal-amounts.ts';
import { type Collected, EntryProblem, signOf } from './entry.ts';

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
 * that of all entries, or that of the booked ones. Some banks state their net amount as the sum, and
 * debits with a minus. Returns what differs, or null.
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
  const counts = { TtlNtries: credit.count + debit.count, TtlCdtNtries: credit.count, TtlDbtNtries: debit.count };
  for (const [name, count] of Object.entries(counts)) {
    const stated = summary.get(`${name}/NbOfNtries`);
    if (stated === '' || (/^\d{1,15}$/.test(stated) && Number(stated) === count)) continue;
    return new EntryProblem('count_differs', `${name}/NbOfNtries must be ${count}, as the entries, not ${stated}`);
  }
  const net = credit.sum - debit.sum;
  const sums: readonly (readonly [path: string, ...sums: bigint[]])[] = [
    ['TtlNtries/Sum', credit.sum + debit.sum, net],
    ['TtlCdtNtries/Sum', credit.sum],
    ['TtlDbtNtries/Sum', debit.sum],
    ['TtlNtries/TtlNetNtryAmt', net],
    ['TtlNtries/TtlNetNtry/Amt', net],
  ];
  for (const [path, ...right] of sums) {
    const stated = summary.get(path);
    const amount = minorUnitsOf(stated.replace(/^-/, ''), currency);
    if (stated === '' || right.some((sum) => amount !== null && BigInt(amount) === abs(sum))) continue;
    const message = `${path} must be ${decimalOf(right[0]!, currency)}, as the entries, not ${stated}`;
    return new EntryProblem('sum_differs', message);
  }
  const sign = signOf(summary.get('TtlNtries/TtlNetNtry/CdtDbtInd') || summary.get('TtlNtries/CdtDbtInd'));
  if (sign === null || net === 0n || sign === (net < 0n ? 'debit' : 'credit')) return null;
  return new EntryProblem('sum_differs', `the net amount of the summary must be a ${net < 0n ? 'debit' : 'credit'}`);
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
