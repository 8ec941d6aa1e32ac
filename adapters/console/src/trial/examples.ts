import { Refusal, toInstantText } from '@tallystick/kernel';
import type { Authorization, VirtualCard } from '@tallystick/operations/resources';
import type { Trial } from './trial.ts';
import { accountOf, sendClearings, sendStatement, type TrialLine, today } from './trial-files.ts';

/** How much was made. */
export interface Examples {
  readonly purchases: number;
  readonly declined: number;
  readonly cleared: number;
}

const day_ms = 86_400_000;

/** The last two days have purchases at all hours: the first page shows them. */
const stretches = [
  { steps: 9, advance: 'P2D', purchases: 10 },
  { steps: 15, advance: 'PT3H', purchases: 2 },
] as const;

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

const nearly_used_up = { total_card_amount: 500_00, metadata: { team: 'Office' } };

/** What happens to a purchase after it was approved. Otherwise it clears the next day, and is stated as it cleared. */
interface Fate {
  readonly is_reversed?: true;
  readonly never_clears?: true;
  /** Clears with 15 percent more. */
  readonly tip?: true;
  /** How much more than cleared the bank takes, in minor units. */
  readonly stated_more?: number;
  readonly without_reference?: true;
  readonly is_forgotten?: true;
}

/** By the number of the purchase among those that were approved, which begins again after `fates_every`. */
const fates: Readonly<Record<number, Fate>> = {
  2: { is_reversed: true },
  5: { tip: true },
  9: { stated_more: 30, without_reference: true },
  13: { stated_more: 50 },
  17: { is_forgotten: true },
  21: { never_clears: true },
};
const fates_every = 30;

/** A card that no company has. */
const unknown_card_id = 999_999_999;

/** The consoles that make examples now. */
const busy = new WeakSet<object>();

/**
 * Fills the company with examples of three weeks, by the calls that everybody makes: purchases, most
 * of which clear the next day and are stated by the bank, and one or two of each trouble. The clock
 * moves on. A company without examples gets the same ones each time; more are added to one that has some.
 * Refuses (`conflict`) while others are made: they would move the clock between two days of these.
 */
export async function makeExamples(trial: Trial): Promise<Examples> {
  const { ports } = trial.visit;
  if (busy.has(ports)) {
    throw new Refusal('conflict', 'examples are being made now: wait half a minute, and look at the first page');
  }
  busy.add(ports);
  try {
    return await makeAll(trial);
  } finally {
    busy.delete(ports);
  }
}

async function makeAll(trial: Trial): Promise<Examples> {
  const draw = createDraw();
  const made = { purchases: 0, declined: 0, cleared: 0 };
  const is_first = await hasNone(trial);
  if (is_first) await trial.call('webhooks.create', { data: failing_webhook });
  const issued: VirtualCard[] = [];
  for (const data of cards) {
    issued.push(await trial.call('virtualCards.create', { data: { ...data, emails: ['driver@example.com'] } }));
  }
  let approved: Authorization[] = [];
  let approved_before = 0;
  let settled_on = today(trial);
  for (const { steps, advance, purchases } of stretches) {
    for (let step = 0; step < steps; step += 1) {
      if (today(trial) !== settled_on) {
        settled_on = today(trial);
        const lines = await clear(trial, approved, approved_before, made);
        if (lines.length > 0) await sendStatement(trial, await accountOf(trial, 'USD'), lines);
        approved_before += approved.length;
        approved = [];
      }
      approved.push(...(await buy(trial, draw, issued, purchases, made)));
      await trial.call('sandbox.clock.move', { data: { advance } });
    }
  }
  await troubles(trial, issued, approved);
  if (is_first) await once(trial);
  await workOnBreaks(trial);
  return made;
}

/** New cards, for an address where nothing listens: deliveries fail, and are given up within hours. */
const failing_webhook = { callback_url: 'https://localhost:9/hooks/cards', event_type_ids: [2] };

/** What a company needs only once is missing: its first examples are made. */
async function hasNone({ visit }: Trial): Promise<boolean> {
  const [webhooks, periods, approvals] = await Promise.all([
    visit.call('webhooks.list', { options: { limit: 1 } }),
    visit.call('reconciliation.periods.list', { options: { limit: 1 } }),
    visit.call('reconciliation.approvals.list', { options: { limit: 1 } }),
  ]);
  return [webhooks, periods, approvals].every(({ items }) => items.length === 0);
}

type Counts = { -readonly [Name in keyof Examples]: number };

async function buy(
  trial: Trial,
  draw: Draw,
  issued: readonly VirtualCard[],
  count: number,
  made: Counts,
): Promise<readonly Authorization[]> {
  const approved: Authorization[] = [];
  for (let number = 0; number < count; number += 1) {
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
  approved: readonly Authorization[],
  approved_before: number,
  made: Counts,
): Promise<readonly TrialLine[]> {
  const lines: TrialLine[] = [];
  for (const [at, { id, merchant_name, billing_amount }] of approved.entries()) {
    const parameters = { id: id! };
    const fate = fates[(approved_before + at) % fates_every] ?? {};
    if (fate.is_reversed) await trial.call('sandbox.authorizations.reverse', { parameters });
    if (fate.is_reversed || fate.never_clears) continue;
    const data = fate.tip ? { amount: Math.round(billing_amount * 1.15) } : {};
    const clearing = await trial.call('sandbox.authorizations.clear', { parameters, data });
    made.cleared += 1;
    const line = {
      amount: clearing.billing_amount + (fate.stated_more ?? 0),
      text: `Card purchase ${merchant_name}`,
      acquirer_reference: fate.without_reference ? null : clearing.acquirer_reference_data,
    };
    if (!fate.is_forgotten) lines.push(line);
  }
  return lines;
}

/** A card near its limit and a frozen one, declines, a backtest, and files that are not applied in full. */
async function troubles(
  trial: Trial,
  [first_card, second, , , last]: readonly VirtualCard[],
  approved: readonly Authorization[],
): Promise<void> {
  const office = await trial.call('virtualCards.create', { data: nearly_used_up });
  for (const [vcn_id, amount, merchant_name, mcc] of [
    [office.id, 482_50, 'Paper & Ink', '5943'],
    [office.id, 64_90, 'Paper & Ink', '5943'],
    [second!.id, 189_00, 'Grand Hotel', '7011'],
  ] as const) {
    await trial.call('sandbox.purchases.create', { data: { vcn_id, amount, merchant_name, mcc } });
  }
  const note = 'The cardholder reported it lost';
  await trial.call('virtualCards.freeze', { parameters: { id: last!.id }, data: { note } });
  const changes = { per_transaction_max: 50_00 };
  const from = toInstantText(trial.visit.now_ms - 30 * day_ms);
  await trial.call('backtests.create', { data: { vcn_id: first_card!.id, changes, from } });
  const [first] = approved;
  if (first !== undefined) {
    const of_no_card = { ...first, vcn_id: unknown_card_id, approval_code: null };
    await sendClearings(trial, [...approved.slice(0, 3), of_no_card]);
  }
  const unknown = {
    number: `9${String(trial.visit.company_id).padStart(9, '0')}`,
    currency: 'USD',
    last_statement: null,
  };
  await sendStatement(trial, unknown, [{ amount: 12_00, text: 'Account fee', acquirer_reference: null }]);
}

/** A closed period, the rule of a second person, and two consents: one with which a third party reads, one withdrawn. */
async function once(trial: Trial): Promise<void> {
  const closed_through = toInstantText(trial.visit.now_ms - 12 * day_ms).slice(0, 10);
  await trial.call('reconciliation.periods.close', { data: { closed_through } });
  await trial.call('operator.companies.update', {
    parameters: { id: trial.visit.company_id! },
    data: { four_eyes: { above: { USD: 60_00 } } },
  });
  if (!trial.visit.may('sandbox.consents.create')) return;
  for (const client_id of ['sandbox-aisp', 'sandbox-aisp-2']) {
    const { id: consent_id } = await trial.call('sandbox.consents.create', { data: { client_id } });
    const parameters = { consent_id };
    await trial.call('sandbox.consents.decide', { parameters, data: { decision: 'approve' } });
    if (client_id === 'sandbox-aisp-2') await trial.call('bank.consents.withdraw', { parameters });
  }
}

/** A comment, somebody who takes care, and an act on so much that it waits for a second person. */
async function workOnBreaks(trial: Trial): Promise<void> {
  const { items } = await trial.visit.call('reconciliation.items.list', {
    options: { filter: { status: 'break' }, suggestions: true, limit: 50 },
  });
  const free = items.filter((item) => item.pending_approval_id === null && item.assignee === null);
  const [large] = free
    .filter(({ kind }) => kind === 'amount')
    .sort((one, other) => (other.stated ?? 0) - (one.stated ?? 0));
  if (large !== undefined) {
    const data = { note: 'Too small a difference to ask the bank about' };
    await trial.call('reconciliation.items.accept', { parameters: { id: large.id }, data });
  }
  const suggested = free.find(({ suggestions }) => suggestions[0]?.differs.days === 0);
  if (suggested === undefined) return;
  const parameters = { id: suggested.id };
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
