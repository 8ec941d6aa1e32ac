import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';

const cdf3 = clearing_formats.find(({ name }) => name === 'cdf3')!;

/** A whole file of the default format. Each clearing has the fields in which it differs. */
export function cdf3File(sequence: number, clearings: readonly Partial<ClearingInput>[]): Buffer {
  const written = clearings.map((differing, at) => ({
    input: {
      network_financial_transaction_id: `TX-${sequence}-${at}`,
      billing_amount: 1_250,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
      ...differing,
    } as ClearingInput,
  }));
  return Buffer.concat([...cdf3.write!({ sequence, created_on: '2030-03-16', mode: 'test', clearings: written })]);
}
