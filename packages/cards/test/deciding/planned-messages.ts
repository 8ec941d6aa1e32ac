import { Temporal } from '@tallystick/kernel';
import fc from 'fast-check';
import type { AuthorizationInput, ClearingInput, NetworkMessage } from '../../src/index.ts';
import { aging, NetworkWorld } from '../network-world.ts';

export const day_ms = 86_400_000;

export const now = '2026-11-21T12:00:00Z';

/** A message of a card, with a name by which outcomes are compared. */
export type Planned =
  | { readonly kind: 'authorization'; readonly input: Partial<AuthorizationInput> & { readonly trace_id: string } }
  | {
      readonly kind: 'clearing';
      readonly input: Partial<ClearingInput> & { readonly network_financial_transaction_id: string };
      readonly synthetic_id: boolean;
      /** Clearings of one chain arrive in their order. */
      readonly chain?: number;
    };

const dates = ['2026-10-01', '2026-11-10', '2026-11-20', '2026-11-21', '2026-11-22', '2026-11-28', '2026-12-20'];
const references = ['MCCABC1231120', 'MCCABC1231121', 'MCCDEF1241120', '   ABC123    '];
const codes = ['A00001', 'A00002'];
const amounts = [500, 1_000, 1_200];
/** Amounts that a change of an authorization by 100 or 200, or to 300, makes of one another. */
const near_amounts = [300, 900, 1_000, 1_100, 1_200];

/** An advice that is a root: its approval code is its own, whenever it comes. */
export const roots = fc.record({
  billing_amount: fc.constantFrom(...amounts),
  approval_code: fc.constantFrom(...codes),
  net_reference_number: fc.constantFrom(...references, null),
  merchant_id: fc.constantFrom('M', 'N', null),
  day: fc.constantFrom('2026-11-01', '2026-11-19', '2026-11-20', '2026-11-21'),
  refund: fc.constantFrom(false, false, false, true),
  follows: fc.constantFrom('nothing', 'nothing', 'increment', 'reversal', 'part', 'rise', 'fall'),
});

export const clearings = fc.record({
  billing_amount: fc.constantFrom(...amounts),
  approval_code: fc.constantFrom(...codes, null),
  net_reference_number: fc.constantFrom(...references, null),
  merchant_id: fc.constantFrom('M', 'N', null),
  settlement_date: fc.constantFrom(...dates),
  authorization_date: fc.constantFrom('2026-11-19', '2026-11-21', null),
  clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'DEBIT', 'CREDIT'),
  partial: fc.constantFrom(false, false, true),
  follows: fc.constantFrom('nothing', 'nothing', 'nothing', 'reversal', 'chargeback', 'disputed and reversed', 'pair'),
  later: fc.nat({ max: 3 }),
  acquirer: fc.constantFrom(null, null, 'shared'),
});

function authorizationsOf(fields: readonly (typeof roots extends fc.Arbitrary<infer T> ? T : never)[]): Planned[] {
  return fields.flatMap(({ day, refund, follows, ...input }, at): Planned[] => {
    const trace_id = `T${at}`;
    const transaction_date_time = `${day}T0${at}:00:00Z`;
    const advice = {
      ...input,
      trace_id,
      transaction_date_time,
      message_type_indicator: '0120',
      ...(refund ? { card_holder_transaction_type_code: '20' } : {}),
    };
    const { billing_amount } = input;
    const next = {
      nothing: [],
      increment: [{ ...advice, incremental: true, billing_amount: 200, system_trace_audit_number: '900001' }],
      reversal: [{ trace_id, message_type_indicator: '0400', transaction_date_time }],
      part: [
        {
          trace_id,
          message_type_indicator: '0400',
          transaction_date_time,
          replacement_amounts: { billing_amount: 300 },
        },
      ],
      rise: [{ ...advice, billing_amount: billing_amount + 100, system_trace_audit_number: '900002' }],
      fall: [{ ...advice, billing_amount: billing_amount - 100, system_trace_audit_number: '900003' }],
    }[follows as 'nothing'] as readonly (typeof advice)[];
    return [advice, ...next].map((message) => ({ kind: 'authorization' as const, input: message }));
  });
}

function clearingsOf(fields: readonly (typeof clearings extends fc.Arbitrary<infer T> ? T : never)[]): Planned[] {
  return fields.flatMap(({ follows, later, acquirer, ...input }, at): Planned[] => {
    const id = (kind: string) => `${kind}${(at * 7) % 10}${at}`;
    // Only presentments without a reversal or dispute share acquirer reference data: rules 1 and 2
    // are final.
    const shared = follows === 'nothing' && acquirer !== null;
    const acquirer_reference_data = shared ? '55432861234567890' : `5543286123456${String(at).padStart(4, '0')}`;
    const message = { ...input, acquirer_reference_data } as const;
    const first = {
      kind: 'clearing' as const,
      synthetic_id: false,
      input: { ...message, network_financial_transaction_id: id('F') },
    };
    const settlement_date = Temporal.PlainDate.from(input.settlement_date).add({ days: later }).toString();
    const again = { ...message, settlement_date, network_financial_transaction_id: id('E') };
    const opposite = input.clearing_type === 'DEBIT' ? 'CREDIT' : 'DEBIT';
    const reversal = { ...again, cycle: 'reversal', clearing_type: opposite, partial: false };
    const chargeback = { ...again, cycle: 'chargeback', partial: false };
    if (follows === 'reversal') return [first, { ...first, input: reversal as typeof first.input }];
    if (follows === 'chargeback') return [first, { ...first, input: chargeback as typeof first.input }];
    if (follows === 'disputed and reversed') {
      // The reversal has the type of the first, the opposite of that of the chargeback. Its id is
      // E.
      const dispute_id = id(at % 2 === 0 ? 'D' : 'G');
      const dispute = { ...chargeback, clearing_type: opposite, network_financial_transaction_id: dispute_id };
      const end = { ...reversal, clearing_type: input.clearing_type };
      return [
        first,
        { ...first, chain: at, input: dispute as typeof first.input },
        { ...first, chain: at, input: end as typeof first.input },
      ];
    }
    if (follows === 'pair') {
      return [
        first,
        { ...first, synthetic_id: true, input: { ...first.input, network_financial_transaction_id: id('S') } },
      ];
    }
    return [first];
  });
}

/** Roots and clearings of few references: merchants and amounts decide, and the amounts change. */
const by_merchant = {
  roots: fc.tuple(roots, fc.constantFrom(...near_amounts)).map(([root, billing_amount]) => ({
    ...root,
    billing_amount,
    merchant_id: 'M' as const,
    net_reference_number: null,
  })),
  clearings: fc.tuple(clearings, fc.constantFrom(...near_amounts)).map(([clearing, billing_amount]) => ({
    ...clearing,
    billing_amount,
    merchant_id: 'M' as const,
    net_reference_number: null,
  })),
};

/**
 * Sets of messages and an order of arrival that keeps the order of the messages of a trace or a
 * chain.
 */
export const sets = fc
  .oneof(setsOf(roots, clearings), setsOf(by_merchant.roots, by_merchant.clearings))
  .map(([authorized, cleared, is_aging]) => ({
    messages: [...authorizationsOf(authorized), ...clearingsOf(cleared)],
    is_aging,
  }))
  .chain(({ messages, is_aging }) => {
    const order = fc
      .shuffledSubarray([...messages.keys()], { minLength: messages.length })
      .map((shuffled) => inOrderOfEach(messages, shuffled));
    return fc.record({
      messages: fc.constant(messages),
      is_aging: fc.constant(is_aging),
      order,
      passes: fc.array(fc.nat({ max: 3 }), { minLength: messages.length, maxLength: messages.length }),
    });
  });

function setsOf(authorized: typeof roots, cleared: typeof clearings) {
  const authorizations = fc.array(authorized, { maxLength: 4 });
  return fc.tuple(authorizations, fc.array(cleared, { minLength: 1, maxLength: 6 }), fc.boolean());
}

function inOrderOfEach(messages: readonly Planned[], shuffled: readonly number[]): readonly number[] {
  const waiting = Map.groupBy(messages.keys(), (at) => orderOf(messages[at]!));
  return shuffled.map((at) => {
    const order = orderOf(messages[at]!);
    return order === null ? at : waiting.get(order)!.shift()!;
  });
}

/** The messages that arrive in their order have the same; null for those that arrive in any. */
function orderOf(message: Planned): string | number | null {
  return message.kind === 'authorization' ? message.input.trace_id : (message.chain ?? null);
}

/** A world with one card that approves any of the planned amounts. */
export function openWorld(is_aging: boolean, recurring: 'Continuous' | 'Daily' = 'Continuous'): NetworkWorld {
  return new NetworkWorld(now, { total_card_amount: 10_000_000 as never, recurring, ...(is_aging ? aging : {}) });
}

/** The message as it is sent. */
export function messageIn(world: NetworkWorld, message: Planned): NetworkMessage {
  return message.kind === 'authorization'
    ? world.message(message.input)
    : { ...world.clearingMessage(message.input), synthetic_id: message.synthetic_id };
}

/**
 * What the messages leave of the card: by trace ids and transaction ids, which no order changes.
 */
export function outcomeOf(
  messages: readonly Planned[],
  is_aging: boolean,
  passes: readonly number[] | null,
  everything = false,
) {
  const world = openWorld(is_aging);
  if (everything) world.loads = 'everything';
  sendIn(world, messages, passes);
  return outcomeIn(world);
}

/** Sends the messages in passes of so many and one, or all in one pass. */
export function sendIn(world: NetworkWorld, messages: readonly Planned[], passes: readonly number[] | null): void {
  const sent = messages.map((message) => messageIn(world, message));
  if (passes === null) world.send(...sent);
  else {
    for (let at = 0; at < sent.length; ) {
      const count = 1 + passes[at]!;
      world.send(...sent.slice(at, at + count));
      at += count;
    }
  }
}

/** The card, its authorizations and its clearings, by ids that no order of arrival changes. */
export function outcomeIn(world: NetworkWorld) {
  const traceOf = (id: number | null) => (id === null ? null : world.row(id).trace_id);
  const nameOf = (id: number | null) => (id === null ? null : world.clearing(id).network_financial_transaction_id);
  const { held, cleared, uses, window_start_ms } = world.counters;
  return {
    available: world.available(),
    counters: { held, cleared, uses, window_start_ms },
    roots: world.state.authorizations
      .values()
      .filter(({ root_id, id }) => root_id === id)
      .map(({ trace_id, status, uncleared_status, authorized, held: holds, cleared: paid, uses: used }) => {
        // Of a part and a reversal, the one that came last is the status (docs/adr/0033).
        const is_reversed = uncleared_status === 'reversed' && status === 'partially_cleared';
        return { trace_id, status: is_reversed ? 'reversed' : status, authorized, holds, paid, used };
      })
      .sort((a, b) => (a.trace_id < b.trace_id ? -1 : 1)),
    clearings: world.state.clearings
      .values()
      .map((row) => ({
        id: row.network_financial_transaction_id,
        paired: row.paired_transaction_id,
        rule: row.match_rule,
        class: row.class,
        review: row.review,
        root: traceOf(row.authorization_id),
        clearing: nameOf(row.clearing_id),
        effect: row.cleared_effect,
        uses: row.uses,
        authorization_date: row.authorization_date,
        reference: row.net_reference_number,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}
