import { toInstantText } from '@tallystick/kernel';
import type { Authorization, VirtualCard } from '@tallystick/operations/resources';
import type { Trial } from './trial.ts';
import { accountOf, sendClearings, sendStatement, type TrialLine } from './trial-files.ts';

/** How much was made. */
export interface Examples {
  readonly purchases: number;
  readonly declined: number;
  readonly cleared: number;
  readonly breaks: number;
}

const days_default = 20;
/** Of eight hours, each with purchases. */
const parts_a_day = 3;
const purchases_a_part = 3;

const merchants = [
  ['Corner Grocer', '5411', 1],
  ['City Fuel', '5541', 2],
  ['Café Central', '5814', 1],
  ['Paper & Ink', '5943', 1],
  ['Blue Sky Airways', '4511', 6],
  ['Grand Hotel', '7011', 5],
  ['Cloud Hosting Ltd', '7372', 3],
] as const;

const cards = [
  { total_card_amount: 2_500_00, recurring: 'Monthly', metadata: { team: 'Field service' } },
  { total_card_amount: 600_00, per_transaction_max: 45_00, recurring: 'Weekly', metadata: { team: 'Drivers' } },
  { total_card_amount: 6_000_00, recurring: 'Monthly', metadata: { team: 'Marketing' } },
  { total_card_amount: 3_000_00, currency: 'USD', metadata: { team: 'Travel' } },
  { total_card_amount: 400_00, transactions_max: 2, recurring: 'Daily', metadata: { team: 'Events' } },
] as const;

/** A card that no company has. */
const unknown_card_id = 999_999_999;

/**
 * Fills the company with examples of some weeks, by the calls that everybody makes: purchases,
 * most of which clear the next day and are stated by the bank, declines, breaks, a
 * webhook that fails, an import that is held, and a clearing in quarantine. The clock moves on by
 * `days` days. The same number of days has the same examples each time.
 */
export async function makeExamples(trial: Trial, days = days_default): Promise<Examples> {
  const draw = createDraw();
  const made = { purchases: 0, declined: 0, cleared: 0, breaks: 0 };
  const issued: VirtualCard[] = [];
  for (const data of cards) {
    issued.push(await trial.call('virtualCards.create', { data: { ...data, emails: ['driver@example.com'] } }));
  }
  let approved: Authorization[] = [];
  for (let day = 1; day <= days; day += 1) {
    const lines = await clear(trial, draw, approved, made);
    if (lines.length > 0) await sendStatement(trial, await accountOf(trial, 'USD'), lines);
    const is_last = day === days;
    if (is_last) await failingWebhook(trial);
    approved = [];
    for (let part = 1; part <= parts_a_day; part += 1) {
      approved.push(...(await buy(trial, draw, issued, made)));
      if (!is_last) await trial.call('sandbox.clock.move', { data: { advance: 'PT8H' } });
    }
  }
  await troubles(trial, issued, approved);
  await workOnBreaks(trial);
  return made;
}

type Counts = { -readonly [Name in keyof Examples]: number };

async function buy(
  trial: Trial,
  draw: Draw,
  issued: readonly VirtualCard[],
  made: Counts,
): Promise<readonly Authorization[]> {
  const approved: Authorization[] = [];
  for (let number = 0; number < purchases_a_part; number += 1) {
    const [merchant_name, mcc, factor] = merchants[draw(merchants.length)]!;
    const data = {
      vcn_id: issued[draw(issued.length)]!.id,
      amount: (4_00 + draw(26_00)) * factor,
      merchant_name,
      mcc,
      ...(draw(8) === 0 ? { currency: 'EUR' } : {}),
    };
    const decided = await trial.call('sandbox.purchases.create', { data });
    made.purchases += 1;
    if (decided.issuer_response === 'Approved') approved.push(decided);
    else made.declined += 1;
  }
  return approved;
}

/** Clears most of the purchases, and returns what the bank states of them. */
async function clear(
  trial: Trial,
  draw: Draw,
  approved: readonly Authorization[],
  made: Counts,
): Promise<readonly TrialLine[]> {
  const lines: TrialLine[] = [];
  for (const { id, merchant_name, billing_amount } of approved) {
    const parameters = { id: id! };
    const luck = draw(40);
    if (luck === 0) {
      await trial.call('sandbox.authorizations.reverse', { parameters });
      continue;
    }
    if (luck === 1) continue;
    const data = luck === 2 ? { amount: Math.round(billing_amount * 1.15) } : {};
    const clearing = await trial.call('sandbox.authorizations.clear', { parameters, data });
    made.cleared += 1;
    const { acquirer_reference_data: acquirer_reference } = clearing;
    const line = { amount: clearing.billing_amount, text: `Card purchase ${merchant_name}`, acquirer_reference };
    // The bank takes another amount, forgets a line, or states one twice.
    if (luck === 3) lines.push({ ...line, amount: line.amount + 50 });
    else if (luck === 5) lines.push(line, { ...line, acquirer_reference: null });
    else if (luck !== 4) lines.push(line);
    if ([3, 4, 5].includes(luck)) made.breaks += 1;
  }
  return lines;
}

/** Nothing listens at this address: its deliveries fail. */
async function failingWebhook(trial: Trial): Promise<void> {
  const { items } = await trial.visit.call('webhooks.list', { options: { limit: 10 } });
  if (items.length > 0) return;
  const data = { callback_url: 'https://localhost:9/hooks/cards', event_type_ids: [1] };
  await trial.call('webhooks.create', { data });
}

async function troubles(
  trial: Trial,
  [first_card, second, , , last]: readonly VirtualCard[],
  approved: readonly Authorization[],
): Promise<void> {
  const over_limit = { vcn_id: second!.id, amount: 189_00, merchant_name: 'Grand Hotel', mcc: '7011' };
  await trial.call('sandbox.purchases.create', { data: over_limit });
  const note = 'The cardholder reported it lost';
  await trial.call('virtualCards.freeze', { parameters: { id: last!.id }, data: { note } });
  const from = toInstantText(trial.visit.now_ms - 30 * 86_400_000);
  const changes = { per_transaction_max: 50_00 };
  await trial.call('backtests.create', { data: { vcn_id: first_card!.id, changes, from } });
  const known = approved.slice(0, 3);
  const [first] = known;
  if (first === undefined) return;
  await sendClearings(trial, [...known, { ...first, vcn_id: unknown_card_id, approval_code: null }]);
  const unknown = {
    number: `9${String(trial.visit.company_id).padStart(9, '0')}`,
    currency: 'USD',
    last_statement: null,
  };
  await sendStatement(trial, unknown, [{ amount: 12_00, text: 'Account fee', acquirer_reference: null }]);
}

/** A comment, somebody who takes care, and an act on so much that it waits for a second person. */
async function workOnBreaks(trial: Trial): Promise<void> {
  const above = { USD: 60_00 };
  await trial.call('operator.companies.update', {
    parameters: { id: trial.visit.company_id! },
    data: { four_eyes: { above } },
  });
  const { items } = await trial.visit.call('reconciliation.items.list', {
    options: { filter: { status: 'break' }, limit: 50 },
  });
  const [large, ...others] = [...items].sort((one, other) => (other.stated ?? 0) - (one.stated ?? 0));
  if (large === undefined) return;
  const note = 'The merchant agreed to the tip';
  await trial.call('reconciliation.items.accept', { parameters: { id: large.id }, data: { note } });
  const [other] = others;
  if (other === undefined) return;
  const parameters = { id: other.id };
  await trial.call('reconciliation.items.comment', { parameters, data: { text: 'Asked the bank for the voucher' } });
  await trial.call('reconciliation.items.assign', { parameters, data: { assignee: 'finance' } });
}

/** Returns a whole number from 0, below the bound. */
type Draw = (below: number) => number;

function createDraw(): Draw {
  let state = 20_261_129;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
