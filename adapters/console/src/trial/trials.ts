import { invalid, Refusal, showAmount } from '@tallystick/kernel';
import type { Authorization, Clearing, Import } from '@tallystick/operations/resources';
import { item_statuses } from '@tallystick/reconciliation';
import { code_words } from '../decision/say-decision.ts';
import { textOf } from '../form.ts';
import { typedAmount } from '../look/typed-amount.ts';
import { makeExamples } from './examples.ts';
import type { Trial } from './trial.ts';
import { accountOf, sendClearings, sendStatement, type TrialLine } from './trial-files.ts';

/** What a button of the sandbox did, in words, and where it is to be seen. */
export interface Outcome {
  readonly text: string;
  /** Names with paths: of the company, or of all companies. */
  readonly links?: readonly (readonly [name: string, path: string, is_of_all?: true])[];
}

type Work = (trial: Trial, form: FormData) => Promise<Outcome>;

/** The refusals that a person can try, with what leads to each. */
export const refusals_to_try = [
  ['limit', 'Over the limit of the card'],
  ['frozen', 'The card is frozen'],
  ['currency', 'In another currency'],
  ['category', 'Another kind of merchant'],
] as const;

/** The most purchases that one button clears. */
const cleared_max = 20;

/** The work of each button, by the value of its field `do`. */
export const trials: ReadonlyMap<string, Work> = new Map<string, Work>([
  ['card', makeCard],
  ['buy', buy],
  ['decline', decline],
  ['clear', async (trial, form) => clearedOutcome([await trial.call('sandbox.authorizations.clear', target(form))])],
  ['reverse', reverse],
  ['refund', async (trial, form) => refundOutcome(await trial.call('sandbox.authorizations.refund', target(form)))],
  ['clear_all', clearAll],
  ['clearing_file', sendClearingFile],
  ['statement', sendStatementOfToday],
  ['clock', moveClock],
  ['mail', mailCard],
  ['examples', examples],
]);

async function makeCard(trial: Trial, form: FormData): Promise<Outcome> {
  const total_card_amount = amountOf(form, 'limit');
  const team = textOf(form, 'team');
  const card = await trial.call('virtualCards.create', {
    data: { total_card_amount, recurring: 'Monthly', ...(team === '' ? {} : { metadata: { team } }) },
  });
  return {
    text: `Card ${card.id}, which ends in ${card.last4}, can be used: ${showAmount(total_card_amount, 'USD')} each month.`,
    links: [['The card', `/cards/${card.id}`]],
  };
}

async function buy(trial: Trial, form: FormData): Promise<Outcome> {
  const merchant_name = textOf(form, 'merchant');
  const data = {
    vcn_id: idOf(form, 'card'),
    amount: amountOf(form, 'amount'),
    ...(merchant_name === '' ? {} : { merchant_name }),
  };
  return decisionOutcome(await trial.call('sandbox.purchases.create', { data }));
}

async function decline(trial: Trial, form: FormData): Promise<Outcome> {
  const vcn_id = idOf(form, 'card');
  const parameters = { id: vcn_id };
  switch (form.get('why')) {
    case 'limit': {
      const { total_card_amount } = await trial.visit.call('virtualCards.read', { parameters });
      return await purchase({ vcn_id, amount: total_card_amount + 1 });
    }
    case 'frozen': {
      const note = 'To try it out';
      await trial.call('virtualCards.freeze', { parameters, data: { note } });
      const outcome = await purchase({ vcn_id, amount: 10_00 });
      await trial.call('virtualCards.unfreeze', { parameters, data: { note } });
      return outcome;
    }
    case 'currency': {
      const data = { total_card_amount: 100_00, currency: 'USD', metadata: { team: 'Only dollars' } };
      const card = await trial.call('virtualCards.create', { data });
      return await purchase({ vcn_id: card.id, amount: 10_00, currency: 'EUR' });
    }
    default:
      return await purchase({ vcn_id: await fuelCard(trial), amount: 10_00, mcc: '5812', merchant_name: 'Trattoria' });
  }

  async function purchase(data: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return decisionOutcome(await trial.call('sandbox.purchases.create', { data }));
  }
}

/** A card that only pays for fuel. The card network needs ten minutes for a new template. */
async function fuelCard(trial: Trial): Promise<string> {
  const name = 'Fuel only';
  const find = async () => {
    const { items } = await trial.visit.call('purchaseTemplates.list', { options: { limit: 50 } });
    return items.find((template) => template.name === name && template.status === 'ACTIVE');
  };
  let template = await find();
  if (template === undefined) {
    const data = {
      name,
      description: 'For drivers',
      mcc_list: ['5541'],
      mcc_rule: 'ALLOW',
      required_control: 'VELOCITY',
    };
    await trial.call('purchaseTemplates.request', { data });
    await trial.call('sandbox.clock.move', { data: { advance: 'PT10M' } });
    template = await find();
  }
  if (template === undefined)
    throw new Refusal('conflict', 'the template is not complete yet; move the clock and try again');
  const data = { total_card_amount: 100_00, template_id: template.id, metadata: { team: 'Fuel only' } };
  return (await trial.call('virtualCards.create', { data })).id;
}

async function reverse(trial: Trial, form: FormData): Promise<Outcome> {
  const { vcn_id, merchant_name } = await trial.call('sandbox.authorizations.reverse', target(form));
  return {
    text: `The purchase at ${merchant_name ?? 'the merchant'} is reversed. Nothing of it is held any more.`,
    links: [['The card', `/cards/${vcn_id}`]],
  };
}

/** What is approved, and holds something that has not cleared. */
async function uncleared(trial: Trial): Promise<readonly Authorization[]> {
  const { items } = await trial.visit.call('authorizations.list', { options: { limit: 50 } });
  const found = items.filter(({ hold }) => hold !== undefined && hold.held > 0).slice(0, cleared_max);
  if (found.length === 0) throw new Refusal('conflict', 'there is nothing to clear: buy something first');
  return found;
}

async function clearAll(trial: Trial): Promise<Outcome> {
  const clearings: Clearing[] = [];
  for (const { id } of await uncleared(trial)) {
    clearings.push(await trial.call('sandbox.authorizations.clear', { parameters: { id: id! } }));
  }
  return clearedOutcome(clearings);
}

async function sendClearingFile(trial: Trial): Promise<Outcome> {
  return importOutcome(await sendClearings(trial, await uncleared(trial)), 'Clearings');
}

async function sendStatementOfToday(trial: Trial, form: FormData): Promise<Outcome> {
  const ids: number[] = [];
  // Of each status, so that many that match leave no other one out.
  for (const status of item_statuses) {
    const options = { filter: { status, currency: 'USD' }, limit: 100 };
    const { items } = await trial.visit.call('reconciliation.items.list', { options });
    const open = items.filter(({ period_id }) => period_id === null);
    ids.push(...open.flatMap(({ clearing_ids, line_ids }) => clearing_ids.slice(line_ids.length)));
  }
  if (ids.length === 0) throw new Refusal('conflict', 'there is nothing to state: clear a purchase first');
  const lines: TrialLine[] = [];
  for (const id of ids) {
    const { items: cleared } = await trial.visit.call('clearings.list', { options: { filter: { id: String(id) } } });
    lines.push(...cleared.map(lineOf));
  }
  const [first, ...rest] = lines;
  const stated = form.has('differs') ? [{ ...first!, amount: first!.amount + 50 }, ...rest] : lines;
  const outcome = importOutcome(await sendStatement(trial, await accountOf(trial, 'USD'), stated), 'Statement lines');
  return { ...outcome, links: [['Breaks', '/breaks'], ['The bridge', '/bridge'], ...(outcome.links ?? [])] };
}

/** The line with which the bank books a clearing. */
function lineOf(clearing: Clearing): TrialLine {
  const is_refund = clearing.clearing_type === 'CREDIT';
  return {
    amount: is_refund ? -clearing.billing_amount : clearing.billing_amount,
    text: `${is_refund ? 'Refund' : 'Card purchase'} ${clearing.merchant_name ?? ''}`.trim(),
    acquirer_reference: clearing.acquirer_reference_data,
  };
}

async function moveClock(trial: Trial, form: FormData): Promise<Outcome> {
  const { now, waiting } = await trial.call('sandbox.clock.move', { data: { advance: textOf(form, 'advance') } });
  const time = `${now.slice(0, 10)}, ${now.slice(11, 16)} UTC`;
  return { text: `The clock shows ${time}. ${waiting ?? 'All work that became due is done.'}` };
}

async function mailCard(trial: Trial, form: FormData): Promise<Outcome> {
  const parameters = { id: idOf(form, 'card') };
  await trial.call('virtualCards.email', { parameters, data: { email: 'driver@example.com' } });
  return {
    text: 'The mail is on its way. In a moment it is in the mailbox.',
    links: [['Mailbox', '/sandbox#mailbox']],
  };
}

async function examples(trial: Trial): Promise<Outcome> {
  const { purchases, declined, cleared } = await makeExamples(trial);
  return {
    text: `${purchases} purchases were made: ${declined} were declined, ${cleared} have cleared, and the bank has stated most of them. Look at:`,
    links: [
      ['What needs a person', ''],
      ['A card near its limit', '/cards'],
      ['Breaks, some with a suggested match', '/breaks'],
      ['An act that waits for a second person', '/approvals'],
      ['A closed period', '/periods'],
      ['A webhook that fails', '/webhooks'],
      ['A file that is held', '/imports', true],
      ...(trial.visit.may('bank.consents.read') ? [['Who reads accounts', '/consents', true] as const] : []),
    ],
  };
}

function decisionOutcome(decided: Authorization): Outcome {
  const { id, vcn_id, merchant_amount, merchant_currency, merchant_name, approval_code } = decided;
  const what = `${showAmount(merchant_amount, merchant_currency)} at ${merchant_name ?? 'a merchant'}`;
  const is_approved = decided.issuer_response === 'Approved';
  return {
    text: is_approved
      ? `Approved: ${what}, approval code ${approval_code}.`
      : `Declined: ${what}: ${code_words[decided.decline_reason ?? 'U']} (${decided.decline_reason}).`,
    links: [
      ['Why', `/cards/${vcn_id}/decisions/${id}`],
      ['The card', `/cards/${vcn_id}`],
    ],
  };
}

function clearedOutcome(clearings: readonly Clearing[]): Outcome {
  const sum = clearings.reduce((total, { billing_amount }) => total + billing_amount, 0);
  const many = clearings.length === 1 ? 'One purchase has' : `${clearings.length} purchases have`;
  return {
    text: `${many} cleared: ${showAmount(sum, clearings[0]!.billing_currency)}. The bank has still to state it.`,
    links: [['The card', `/cards/${clearings[0]!.vcn_id}`]],
  };
}

function refundOutcome({ billing_amount, billing_currency, vcn_id }: Clearing): Outcome {
  return {
    text: `Refunded: ${showAmount(billing_amount, billing_currency)}.`,
    links: [['The card', `/cards/${vcn_id}`]],
  };
}

function importOutcome({ id, status, format, applied, quarantined }: Import, what: string): Outcome {
  return {
    text: `Import ${id} (${format}) is ${status}. ${what}: ${applied} applied, ${quarantined} in quarantine.`,
    links: [['The import', `/imports/${id}`, true]],
  };
}

function target(form: FormData) {
  return { parameters: { id: idOf(form, 'authorization') } };
}

function idOf(form: FormData, name: string): string {
  const text = textOf(form, name);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw invalid({ path: name, message: 'must be chosen' });
  return text;
}

/** An amount of dollars as people type it, in minor units. */
function amountOf(form: FormData, name: string): number {
  const amount = typedAmount(form, name, 'USD');
  if (amount === undefined) throw invalid({ path: name, message: 'is required' });
  return amount;
}
