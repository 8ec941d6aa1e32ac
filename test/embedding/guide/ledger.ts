// ledger.ts
import { tally } from './tally.ts';

export const counted = { decisions: 0 };

export async function keepLedger(): Promise<void> {
  await tally.subscribe('ledger', ['virtualcard.clearings'], async (events, tx) => {
    for (const { id, company_id, payload } of events) {
      const row = [id, company_id, payload.billing_amount];
      await tx.query('insert into ledger values ($1, $2, $3)', row);
    }
  });
  tally.on(['virtualcard.realtime.auths'], () => {
    counted.decisions += 1;
  });
}
