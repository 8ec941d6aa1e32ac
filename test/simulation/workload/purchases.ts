import { exchangeUntilAnswered } from '../exchange.ts';
import type { AuthorizationAnswer, ClearingAnswer, Operations, Outcome } from '../history.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';
import { type CardInWorld, hasCards, issueCard, pickCard } from './cards.ts';
import { referenceOf, settle } from './clearing-files.ts';

type AuthorizationInput = Operations['authorize']['input'];
type ClearingInput = Operations['clear']['input'];

const day_ms = 86_400_000;

export const purchases: readonly Activity[] = [
  { name: 'purchase', weight: 40, isPossible: hasCards, run: purchase },
  { name: 'refund', weight: 2, isPossible: hasCards, run: refund },
  { name: 'rush', weight: 4, isPossible: hasCards, run: rush },
];

/**
 * A purchase from its request to its end: it is declined, reversed, cleared in one or more parts,
 * reported by an advice, or forgotten.
 */
async function purchase(world: World): Promise<void> {
  const { random } = world;
  const card = pickCard(world);
  const trace_id = `T${world.nextId()}`;
  const amount = random.between(1, 20_000);
  const request = authorizationOf(world, card, { message_type_indicator: '0100', trace_id, amount });
  const answer = await authorize(world, request);
  if (answer.kind !== 'done' || answer.value.response_code !== '00') return;

  if (random.happens(0.1)) {
    await world.pauseUntilQuiet(random.wait(3_600_000));
    const grown = authorizationOf(world, card, {
      message_type_indicator: '0100',
      trace_id,
      amount: random.between(1, 2_000),
    });
    await authorize(world, { ...grown, incremental: true });
  }
  if (random.happens(0.1)) {
    await world.pauseUntilQuiet(random.wait(60_000));
    await authorize(world, authorizationOf(world, card, { message_type_indicator: '0120', trace_id, amount }));
  }
  if (random.happens(0.15)) {
    await world.pauseUntilQuiet(random.wait(6 * 3_600_000));
    await reverse(world, card, { trace_id, amount });
    if (random.happens(0.7)) return;
  }
  if (random.happens(0.1)) return;
  const parts = random.happens(0.2) ? random.between(2, 3) : 1;
  for (let part = 1; part <= parts; part += 1) {
    if (!(await world.pauseUntilQuiet(random.wait(2 * day_ms)))) return;
    const billing_amount = Math.max(
      1,
      Math.round((amount / parts) * (random.happens(0.8) ? 1 : random.between(50, 120) / 100)),
    );
    await present(
      world,
      card,
      clearingOf(world, card, {
        request,
        approval_code: answer.value.approval_code,
        billing_amount,
        is_partial: part < parts,
      }),
    );
  }
}

/**
 * Many purchases at once, most with a card of their own, which share passes; and later their
 * clearings at once, as at the end of a day.
 */
async function rush(world: World): Promise<void> {
  const { random } = world;
  const company = random.pick(world.companies);
  const bought = Array.from({ length: random.pick([20, 60, 300]) }, async () => {
    const card = random.happens(0.1) ? pickCard(world) : await issueCard(world, company);
    if (card === null) return null;
    const trace_id = `T${world.nextId()}`;
    const amount = random.between(1, 2_000);
    const request = authorizationOf(world, card, { message_type_indicator: '0100', trace_id, amount });
    const answer = await authorize(world, request);
    if (answer.kind !== 'done' || answer.value.response_code !== '00') return null;
    const { approval_code } = answer.value;
    if (!random.happens(0.1)) return { card, request, approval_code, billing_amount: amount, is_partial: false };
    await reverse(world, card, { trace_id, amount });
    return null;
  });
  const approved = (await Promise.all(bought)).filter((purchased) => purchased !== null);
  if (!(await world.pauseUntilQuiet(random.wait(day_ms)))) return;
  await Promise.all(approved.map(({ card, ...purchased }) => present(world, card, clearingOf(world, card, purchased))));
}

async function refund(world: World): Promise<void> {
  const { random } = world;
  const card = pickCard(world);
  const input = clearingOf(world, card, {
    request: null,
    approval_code: null,
    billing_amount: random.between(1, 5_000),
    is_partial: false,
  });
  await present(world, card, { ...input, clearing_type: 'CREDIT' });
}

/** The network reports a clearing by a message, by a file, or by both. */
async function present(world: World, { id, company }: CardInWorld, input: ClearingInput): Promise<void> {
  const by = world.random.pick(['message', 'message', 'file', 'both'] as const);
  settle(world, { company_id: company.id, card_id: id, input }, by !== 'message');
  if (by !== 'file') await clear(world, input);
}

async function reverse(
  world: World,
  card: CardInWorld,
  { trace_id, amount }: { readonly trace_id: string; readonly amount: number },
): Promise<void> {
  const { random } = world;
  const reversal = authorizationOf(world, card, {
    message_type_indicator: random.pick(['0400', '0420']),
    trace_id,
    amount,
  });
  const left = random.happens(0.3) ? random.between(0, amount) : 0;
  await authorize(
    world,
    left === 0
      ? reversal
      : {
          ...reversal,
          replacement_amounts: { billing_amount: left, settlement_amount: null, transaction_amount: left },
        },
  );
}

function authorizationOf(
  world: World,
  { card_number, expiry, cvc, company }: CardInWorld,
  {
    message_type_indicator,
    trace_id,
    amount,
  }: { readonly message_type_indicator: string; readonly trace_id: string; readonly amount: number },
): AuthorizationInput {
  const { random, time } = world;
  return {
    card_number,
    ...(random.happens(0.7) ? { expiry } : {}),
    ...(random.happens(0.5) ? { cvc } : {}),
    message_type_indicator,
    trace_id,
    system_trace_audit_number: String(world.nextId()),
    transaction_date_time: new Date(time.now_ms).toISOString(),
    billing_amount: amount,
    billing_currency: company.billing_currency,
    merchant_amount: amount,
    merchant_currency: company.billing_currency,
    mcc: random.pick(['5812', '5999', '7011', '4121']),
    merchant_id: `M${random.below(5)}`,
  };
}

function clearingOf(
  world: World,
  { card_number, company }: CardInWorld,
  {
    request,
    approval_code,
    billing_amount,
    is_partial,
  }: {
    readonly request: AuthorizationInput | null;
    readonly approval_code: string | null;
    readonly billing_amount: number;
    readonly is_partial: boolean;
  },
): ClearingInput {
  return {
    card_number,
    network_financial_transaction_id: `C${world.nextId()}`,
    acquirer_reference_data: referenceOf(world.nextId()),
    clearing_type: 'DEBIT',
    partial: is_partial,
    billing_amount,
    billing_currency: company.billing_currency,
    merchant_amount: billing_amount,
    merchant_currency: company.billing_currency,
    settlement_date: new Date(world.time.now_ms).toISOString().slice(0, 10),
    ...(approval_code === null ? {} : { approval_code }),
    ...(request?.merchant_id === undefined ? {} : { merchant_id: request.merchant_id }),
    ...(request === null ? {} : { authorization_date: request.transaction_date_time.slice(0, 10) }),
  };
}

/** Sends an authorization until it is decided, and sometimes a second copy beside it. */
export async function authorize(world: World, input: AuthorizationInput): Promise<Outcome<AuthorizationAnswer>> {
  const sent = {
    operation: 'authorize',
    company_id: null,
    input,
    perform: async (tally, options) => {
      const { id, response_code, vcn_response, issuer_response, approval_code, decline_reason } =
        await tally.network.authorize(input as never, options);
      return { id, response_code, vcn_response, issuer_response, approval_code, fault: decline_reason === 'U' };
    },
  } satisfies Parameters<typeof exchangeUntilAnswered<'authorize'>>[1];
  const isUndecided = ({ fault }: AuthorizationAnswer): boolean => fault;
  if (world.random.happens(world.repeats_message)) {
    world.begin('repeated authorization', async () => {
      await world.time.pause(world.random.between(0, 5_000));
      await exchangeUntilAnswered(world, sent, isUndecided);
    });
  }
  return await exchangeUntilAnswered(world, sent, isUndecided);
}

/** Sends a clearing until it is recorded or refused, and sometimes a second copy beside it. */
export async function clear(world: World, input: ClearingInput): Promise<Outcome<ClearingAnswer>> {
  const sent = {
    operation: 'clear',
    company_id: null,
    input,
    perform: async (tally, options) => {
      const { id, authorization_id } = await tally.network.clear(input as never, options);
      return { id, authorization_id };
    },
  } satisfies Parameters<typeof exchangeUntilAnswered<'clear'>>[1];
  if (world.random.happens(world.repeats_message)) {
    world.begin('repeated clearing', async () => {
      await world.time.pause(world.random.between(0, 60_000));
      await exchangeUntilAnswered(world, sent);
    });
  }
  return await exchangeUntilAnswered(world, sent);
}
