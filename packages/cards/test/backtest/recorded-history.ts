import { money } from '@tallystick/kernel';
import type { MerchantControls } from '@tallystick/templates';
import { recurring_values } from '@tallystick/velocity';
import fc from 'fast-check';
import { type HistoryReads, historiesOf } from '../../src/backtest/history.ts';
import { type Difference, Replay, type ReplayPlan } from '../../src/backtest/replay-card.ts';
import {
  type Authorization,
  type ClientAnswer,
  client_answers,
  isRefund,
  type NetworkAnswer,
  type NetworkMessage,
  type Say,
} from '../../src/index.ts';
import { matchIn, planned_acts, rematchMessage } from '../deciding/by-hand.ts';
import { aging, type CardSketch, cardOf, NetworkWorld, numberOf, right_cvc } from '../network-world.ts';

export const now = '2026-11-21T12:00:00Z';
const hour_ms = 3_600_000;

const no_merchant_controls = { merchant_ids: null, merchant_names: null, countries: null, card_present: null };

const amounts = fc.oneof(fc.integer({ min: 0, max: 600 }), fc.constantFrom(0, 1, 250, 500));

/** Controls that some merchants of a history break. */
export const merchant_controls: fc.Arbitrary<MerchantControls> = fc.constantFrom(
  { ...no_merchant_controls, merchant_ids: { allow: null, deny: ['M2'] } },
  { ...no_merchant_controls, countries: { allow: ['USA'], deny: null } },
  { ...no_merchant_controls, card_present: 'forbidden' },
);

/** Cards with limits that a short history reaches. */
export const cards: fc.Arbitrary<CardSketch> = fc
  .record({
    total_card_amount: fc.integer({ min: 300, max: 2_000 }).map(money),
    per_transaction_max: fc.integer({ min: 300, max: 900 }).map(money),
    per_transaction_min: fc.constantFrom(0, 0, 100).map(money),
    per_transaction_max_defaulted: fc.constant(false),
    transactions_max: fc.option(fc.integer({ min: 1, max: 4 })),
    currency: fc.constantFrom(null, null, 'EUR'),
    merchant_controls: fc.option(merchant_controls, { freq: 3 }),
    control: fc.constantFrom(...recurring_values, 'aging' as const),
  })
  .map(({ control, transactions_max, ...limits }) =>
    control === 'aging'
      ? { ...limits, ...aging, authorization_hold_days: 1, transactions_max: null }
      : { ...limits, recurring: control, transactions_max },
  );

const references = fc.constantFrom(null, 'MCCABC1231121', 'MCCABC1241121', '   ABC123    ');
const approval_codes = fc.constantFrom(null, null, 'A1B2C3');
const merchants = fc.constantFrom(null, 'M1', 'M2');

const asking = {
  trace_id: fc.constantFrom('T1', 'T2', 'T3', 'T4'),
  billing_amount: amounts,
  merchant_currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  merchant_id: merchants,
  net_reference_number: references,
  cvc: fc.constantFrom(undefined, undefined, undefined, undefined, right_cvc, '999'),
  expiry: fc.constantFrom(undefined, undefined, undefined, '2028-11', '2027-01'),
  mcc: fc.constantFrom('5812', '5812', '7995'),
  merchant_country: fc.constantFrom('USA', 'USA', 'DEU', null),
  card_present: fc.constantFrom(false, true, null),
};

const requests = fc.record({
  ...asking,
  message_type_indicator: fc.constant('0100'),
  incremental: fc.constantFrom(false, false, true),
  card_holder_transaction_type_code: fc.constantFrom('00', '00', '00', '20'),
  /** What the company says about the request, if it is asked. */
  answer: fc.constantFrom(null, null, null, ...client_answers),
});

const advices = fc.record({
  ...asking,
  message_type_indicator: fc.constant('0120'),
  incremental: fc.constantFrom(false, false, true),
  response_code: fc.constantFrom('00', '00', '05'),
  approval_code: approval_codes,
});

const reversals = fc.record({
  ...asking,
  message_type_indicator: fc.constantFrom('0400', '0420'),
  replacement_amounts: fc.option(
    fc.integer({ min: 0, max: 600 }).map((amount) => ({ billing_amount: amount, transaction_amount: amount })),
  ),
});

const clearings = fc.record({
  cycle: fc.constantFrom('first_presentment', 'first_presentment', 'first_presentment', 'reversal', 'chargeback'),
  clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'CREDIT'),
  partial: fc.boolean(),
  billing_amount: amounts,
  acquirer_reference_data: fc.constantFrom(null, 'R1', 'R2'),
  approval_code: fc.oneof(approval_codes, fc.constant('that of an authorization')),
  net_reference_number: references,
  merchant_id: merchants,
  settlement_date: fc.constantFrom('2026-11-20', '2026-11-22', '2026-12-20', '2027-01-10'),
  synthetic_id: fc.constantFrom(false, false, true),
});

/** What happens to a card, in the order of its history. */
export type Step = Readonly<Record<string, unknown>> & { readonly step: string };

const tagged = <Value extends object>(step: string, values: fc.Arbitrary<Value>): fc.Arbitrary<Step> =>
  values.map((value) => ({ ...value, step }));

/** Histories with early, late and partial clearings, reversals, acts of people, and times that pass. */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      tagged('authorization', requests),
      tagged('authorization', requests),
      tagged('authorization', advices),
      tagged('authorization', reversals),
      tagged('clearing', clearings),
      tagged('clearing', clearings),
      tagged('move', fc.record({ hours: fc.constantFrom(0.001, 1, 7, 24, 36, 24 * 8, 24 * 40) })),
      tagged('freeze', fc.record({ frozen: fc.boolean() })),
      tagged('release', fc.record({ at: fc.nat({ max: 20 }) })),
      tagged('rematch', planned_acts),
    ),
    { minLength: 1, maxLength: 25 },
  )
  .map((steps) => [...steps, last_step]);

/** A freeze ends holds whose time is over, and no replay sees it. The last message ends them anyway. */
const last_step: Step = { step: 'authorization', message_type_indicator: '0100', billing_amount: 1, trace_id: 'T9' };

/** A message that was recorded, when it was, and the row of an authorization. */
export interface Sent {
  readonly message: NetworkMessage;
  readonly at_ms: number;
  readonly row: Authorization | null;
}

export function worldOf(sketch: CardSketch): NetworkWorld {
  return new NetworkWorld(now, { template: gambling_denied, ...sketch, id: 1 });
}

export const gambling_denied = { mcc_rule: 'DENY', mcc_list: ['7995'], merchant_controls: null, version: 1 } as const;

/** Plays the steps in the world. Returns the messages that it recorded. */
export function play(world: NetworkWorld, steps: readonly Step[]): readonly Sent[] {
  const sent: Sent[] = [];
  for (const step of steps) {
    if (step.step === 'move') {
      world.now_ms += Math.round(Number(step.hours) * hour_ms);
      continue;
    }
    const message = messageOf(world, step);
    if (message === null) continue;
    const before = world.state.authorizations.values().length;
    const [answer] = world.send(message);
    if (!isRecorded(answer)) continue;
    const rows = world.state.authorizations.values();
    sent.push({ message, at_ms: world.now_ms, row: rows.length > before ? rows.at(-1)! : null });
  }
  return sent;
}

function isRecorded(answer: NetworkAnswer | undefined): boolean {
  return answer?.kind === 'answered' && !('duplicate' in answer && answer.duplicate && !('item' in answer));
}

function messageOf(world: NetworkWorld, { step, ...fields }: Step): NetworkMessage | null {
  switch (step) {
    case 'authorization': {
      const { answer = null, ...input } = fields as { readonly billing_amount: number; readonly answer?: ClientAnswer };
      const amounts = { card_number: numberOf(1), merchant_amount: input.billing_amount };
      const message = world.message({ ...input, ...amounts, partial_approval: answer === 'approve_part' });
      return answer === null || isRefund(message.card_holder_transaction_type_code) || input.billing_amount === 0
        ? message
        : { ...message, say: sayOf(answer, Math.ceil(input.billing_amount / 2)) };
    }
    case 'freeze': {
      const by = { company_id: 7, note: null, actor: 'key:9', request_id: null } as const;
      return { kind: 'freeze', number_index: null, vcn_id: 1, frozen: fields.frozen === true, ...by };
    }
    case 'clearing': {
      const { synthetic_id, approval_code, ...input } = fields as {
        synthetic_id: boolean;
        approval_code: string | null;
      };
      const coded = world.state.authorizations.values().findLast((row) => row.approval_code !== null);
      const code = approval_code === 'that of an authorization' ? (coded?.approval_code ?? null) : approval_code;
      return { ...world.clearingMessage({ ...input, approval_code: code }), synthetic_id };
    }
    case 'release': {
      const roots = world.state.authorizations.values().filter(({ held }) => held > 0);
      const root = roots[Number(fields.at) % roots.length];
      if (root === undefined) return null;
      const by = { company_id: 7, note: 'by hand', actor: 'key:9', request_id: null } as const;
      return { kind: 'release', number_index: null, vcn_id: 1, authorization_id: root.id, ...by };
    }
    default: {
      const match = matchIn(world, fields as never);
      return match === null ? null : rematchMessage([match]);
    }
  }
}

function sayOf(answer: ClientAnswer, part: number): Say {
  const asked = { by: 'client', note: null, outcome: 'answered', respond_by_ms: 1, ms: 1, stood_in: null } as const;
  return { ...asked, consultation_id: 'dec_1', answer, amount: answer === 'approve_part' ? money(part) : null };
}

function readsOf({ unitOfWork }: NetworkWorld): HistoryReads {
  return {
    authorizationsAfter: (...given) => unitOfWork.read((tx) => tx.backtests.authorizationsAfter(...given)),
    clearingsAfter: (...given) => unitOfWork.read((tx) => tx.backtests.clearingsAfter(...given)),
    actsAfter: (...given) => unitOfWork.read((tx) => tx.backtests.actsAfter(...given)),
  };
}

/** Replays card 1 of the world from its records. */
export async function replayIn(
  world: NetworkWorld,
  sketch: CardSketch,
  plan: Partial<ReplayPlan> = {},
): Promise<{ readonly replay: Replay; readonly differences: readonly Difference[] }> {
  const span = { from_ms: 0, to_ms: Number.MAX_SAFE_INTEGER };
  const card = cardOf({ template: gambling_denied, ...sketch, id: 1 });
  const { value: history } = await historiesOf(readsOf(world), [1]).next();
  const replay = new Replay({ card, created_at_ms: 0, change: {}, template: null, span, ...plan }, history!.acts);
  const differences: Difference[] = [];
  for await (const happening of history!.happenings()) {
    const difference = replay.do(happening);
    if (difference !== null) differences.push(difference);
  }
  return { replay, differences };
}
