import type { ClearingFormat, WrittenClearing } from '@tallystick/imports';
import { clearing_formats } from '../src/index.ts';
import type { TestContent } from './arbitrary-content.ts';

export interface Writing {
  readonly format: ClearingFormat;
  readonly variant: string | undefined;
  /** `ipm vbs-ascii`. */
  readonly name: string;
}

/** Every format with every variant. */
export const writings: readonly Writing[] = clearing_formats
  .filter(({ write }) => write !== undefined)
  .flatMap((format) => {
    const variants: readonly (string | undefined)[] = format.variants?.length ? format.variants : [undefined];
    return variants.map((variant) => ({ format, variant, name: [format.name, variant].filter(Boolean).join(' ') }));
  });

const currencies = [
  ['USD', 'EUR'],
  ['USD', 'USD'],
  ['EUR', 'JPY'],
] as const;

/** Plain clearings that every format can state. No two have the same amount. */
export function sampleContent(count: number, sequence: number): TestContent {
  return {
    sequence,
    created_on: '2026-07-16',
    mode: 'production',
    clearings: Array.from({ length: count }, (_, at) => clearing(at, sequence)),
  };
}

function clearing(at: number, sequence: number): WrittenClearing {
  const [billing_currency, merchant_currency] = currencies[at % currencies.length]!;
  return {
    input: {
      card_number: `555544000000${String(sequence * 100 + at).padStart(4, '0')}`,
      network_financial_transaction_id: `2026071600000000${String(sequence * 100 + at).padStart(4, '0')}`,
      billing_amount: 10_000 * sequence + 137 * at,
      billing_currency,
      clearing_type: at % 4 === 0 ? 'CREDIT' : 'DEBIT',
      settlement_date: '2026-07-16',
      merchant_amount: 9_000 * sequence + 139 * at,
      merchant_currency,
      mcc: '5812',
      merchant_id: `MERCHANT${at}`,
      merchant_name: `CORNER GROCER ${at}`,
      acquirer_reference_data: '12712346184000000000041',
      authorization_date: '2026-07-14',
      acquirer_ica: '6897',
    },
  };
}
