import { changeTolerances, readTolerances, type Tolerances } from '@tallystick/reconciliation';
import * as z from 'zod';
import { data_of_domain } from '../fields.ts';
import { companyCall, type Operation, operation } from '../operation.ts';

const tolerances = z.record(z.string(), z.int().min(1)).meta({
  id: 'ReconciliationTolerances',
  description: 'The largest difference that is accepted, by currency; minor units. A currency without one is absent',
  examples: [{ USD: 5, EUR: 5 }],
});

const tolerances_change = z
  .object({
    data: z
      .record(z.string(), z.int().min(1).max(1_000_000_000_000).nullable())
      .describe('By currency, ISO 4217: the amount in minor units; null: removes the tolerance'),
  })
  .meta({
    id: 'ReconciliationTolerancesChange',
    description: 'The tolerances that change; others stay',
    examples: [{ data: { USD: 5, EUR: null } }],
  });

/** The small differences that are accepted without a person (decision: reconciliation). */
export function toleranceOperations(): readonly Operation[] {
  return [
    operation('reconciliation', {
      id: 'reconciliation.tolerances.read',
      summary: 'Read the tolerances of the company, by currency',
      answer: tolerances,
      async read(tx, call) {
        return presentTolerances(await readTolerances(tx, companyCall(call)));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.tolerances.update',
      summary: 'Change tolerances',
      description:
        'A difference of the kind `amount` that is at most the tolerance, measured on what is left, is accepted by the rule `tolerance`. Items that are not frozen follow soon, whether their records came before or after.',
      body: data_of_domain,
      documented_body: tolerances_change,
      answer: tolerances,
      async write(tx, call) {
        return presentTolerances(await changeTolerances(tx, companyCall(call), call.body.data));
      },
    }),
  ];
}

/** The amounts by currency, in the order of their codes. */
export function presentTolerances(by_currency: Tolerances): Readonly<Record<string, number>> {
  const in_order = [...by_currency].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(in_order.map(([currency, { amount }]) => [currency, amount]));
}
