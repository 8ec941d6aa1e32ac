import {
  auditEntry,
  type Call,
  currency_expected,
  type FourEyes,
  invalid,
  isCurrency,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import type { ActTx } from './acts/act-plan.ts';
import type { ReconciliationTx } from './ports.ts';
import type { Tolerances } from './records.ts';

/** The tolerances of a company, by currency. */
export function readTolerances(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  { company_id }: Pick<Call, 'company_id'>,
): Promise<Tolerances> {
  return reconciliation.readTolerances(company_id);
}

/**
 * Changes the tolerances that the request names by currency: an amount in minor units sets one, null
 * removes it. Returns all. Writes the audit log. Items follow in steps, as they follow their
 * records. Refuses `validation_failed` what is no currency or no amount above 0, and an amount above
 * what one person may decide (four eyes).
 */
export async function changeTolerances(
  { reconciliation, audit }: Pick<ActTx, 'reconciliation' | 'audit'>,
  call: Call,
  request: object,
): Promise<Tolerances> {
  const { company_id, now_ms } = call;
  const asked = readChanges(request);
  const progress = await reconciliation.lockCompany(company_id);
  refuseAbove(await reconciliation.readFourEyes(company_id), asked);
  const amountNow = (currency: string) => progress.tolerances.get(currency)?.amount ?? null;
  const changes = [...asked].filter(([currency, amount]) => amount !== amountNow(currency));
  if (changes.length === 0) return progress.tolerances;
  const tolerances = new Map(progress.tolerances);
  for (const [currency, amount] of changes) {
    if (amount === null) tolerances.delete(currency);
    else tolerances.set(currency, { amount, since_ms: now_ms });
  }
  const walk = { coverage: progress.walk?.coverage ?? null, tolerance: { after: null } };
  await reconciliation.updateProgress({ ...progress, tolerances, walk });
  const details = Object.fromEntries(
    changes.map(([currency, after]) => [currency, { before: amountNow(currency), after }]),
  );
  const entry = auditEntry(call, 'reconciliation.tolerances_changed', `company:${company_id}`, details);
  await audit.record(entry, now_ms);
  return tolerances;
}

/**
 * Refuses (`validation_failed`) a four-eyes setting with an amount below a tolerance that stands: a
 * difference within it is accepted by nobody at all. Locks the company.
 */
export async function requireTolerancesWithin(
  { reconciliation }: Pick<ActTx, 'reconciliation'>,
  { company_id }: Pick<Call, 'company_id'>,
  four_eyes: FourEyes,
): Promise<void> {
  const { tolerances } = await reconciliation.lockCompany(company_id);
  for (const [currency, { amount }] of tolerances) {
    if (amount <= (four_eyes.above[currency] ?? 0)) continue;
    const message = `must have at least ${amount} of ${currency}, which is the tolerance: lower the tolerance first`;
    throw invalid({ path: 'four_eyes', message });
  }
}

/** Refuses tolerances above what one person may decide. */
function refuseAbove(four_eyes: FourEyes | null, asked: ReadonlyMap<string, number | null>): void {
  if (four_eyes === null) return;
  const above = [...asked].flatMap(([currency, amount]) => {
    const most = four_eyes.above[currency] ?? 0;
    if (amount === null || amount <= most) return [];
    return {
      path: currency,
      message: `must be at most ${most}, not ${amount}: above that an act needs a second person`,
    };
  });
  const [first, ...others] = above;
  if (first !== undefined) throw invalid(first, ...others);
}

function readChanges(request: object): ReadonlyMap<string, number | null> {
  const fields = new RequestFields(request);
  const changes = new Map<string, number | null>();
  for (const name of Object.keys(request)) {
    if (isCurrency(name)) changes.set(name, fields.readAmount(name, 1));
    else fields.addProblem(/^\w{1,64}$/.test(name) ? name : showValue(name), `must be ${currency_expected}`);
  }
  fields.refuseInvalid();
  return changes;
}
