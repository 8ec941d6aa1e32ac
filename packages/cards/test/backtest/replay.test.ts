import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Money, money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { recurring_values } from '@tallystick/velocity';
import fc from 'fast-check';
import { type ChangedTemplate, type ControlsChange, changedCard } from '../../src/backtest/controls-change.ts';
import { drawOf } from '../../src/backtest/recorded-messages.ts';
import { type DifferenceKind, difference_kinds } from '../../src/backtest/replay-card.ts';
import { type Authorization, isStandingRoot, type NetworkMessage } from '../../src/index.ts';
import { seenIn } from '../deciding/by-hand.ts';
import { type CardSketch, cardOf, type NetworkWorld } from '../network-world.ts';
import {
  cards,
  gambling_denied,
  histories,
  merchant_controls,
  play,
  replayIn,
  type Step,
  worldOf,
} from './recorded-history.ts';

/** What is compared of a row: all but what no replay knows. */
function comparable({ details, facts, request_id: _request_id, event_id: _event_id, ...row }: Authorization) {
  const [, , ...values] = facts ?? [];
  return { ...row, broken_reason: details.broken_reason ?? null, values: values.slice(0, 5) };
}

/** Asserts that a replay with unchanged controls ends in the records of the steps. */
async function assertRepeats(card: CardSketch, steps: readonly Step[]): Promise<void> {
  const world = worldOf(card);
  play(world, steps);
  const { replay, differences } = await replayIn(world, card);
  assert.deepEqual(differences, []);
  for (const row of world.state.authorizations.values()) {
    assert.deepEqual(comparable(replay.state.authorization(row.id)!), comparable(row));
  }
  for (const row of world.state.clearings.values()) {
    const { details: _details, request_id: _request_id, ...is } = replay.state.clearing(row.id)!;
    const { details: _its, request_id: _id, ...was } = row;
    assert.deepEqual(is, was);
  }
}

describe('a replay', () => {
  test('with unchanged controls ends in the recorded rows, without a difference', async () => {
    await fc.assert(fc.asyncProperty(cards, histories, assertRepeats), propertyParameters({ short: 300, full: 3_000 }));
  });

  test('counts the days of a hold from the message with which it began', async () => {
    const card = { recurring: 'Continuous', total_card_amount: money(1_000) } as const;
    const reported = (billing_amount: number): Step[] => [
      { step: 'authorization', message_type_indicator: '0120', response_code: '00', trace_id: 'T1', billing_amount },
      { step: 'move', hours: 24 * 8 },
    ];
    await assertRepeats(card, [0, 500].flatMap(reported));
    await assertRepeats(card, [500, 0, 300].flatMap(reported));
  });
});

const other_template_id = 200;

/** The template that a change names, for both kinds of cards. */
function otherTemplate(card: CardSketch): ChangedTemplate {
  const required_control = card.authorization_hold_days == null ? 'VELOCITY' : 'AGING_VELOCITY';
  return { mcc_rule: 'ALLOW', mcc_list: ['7995'], merchant_controls: null, version: 1, required_control };
}

/** A change of limits, windows or holds that a short history notices. */
const changes: fc.Arbitrary<ControlsChange> = fc.oneof(
  fc.record({ total_card_amount: amountOf(200, 1_500), per_transaction_max: amountOf(100, 1_000) }),
  fc.record({ transactions_max: fc.option(fc.integer({ min: 1, max: 3 })) }),
  fc.record({ recurring: fc.constantFrom(...recurring_values) }),
  fc.record({ hold_days: fc.integer({ min: 1, max: 60 }), authorization_hold_days: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ currency: fc.constantFrom(null, 'EUR', 'USD') }),
  fc.record({ merchant_controls: fc.option(merchant_controls) }),
  fc.constant({ template_id: other_template_id }),
  fc.record({ valid_starting_on: fc.constant('2026-11-22'), valid_ending_on: fc.constant('2026-11-29') }),
);

function amountOf(min: number, max: number): fc.Arbitrary<Money> {
  return fc.integer({ min, max }).map(money);
}

/** What decides the draw of the approval code: that of the record, as a replay draws it. */
function drawing(world: NetworkWorld, draw: number): void {
  Object.assign(world.random, { below: () => draw });
}

/**
 * Asserts that a replay of the steps with a change decides each message as a fresh card with the
 * change does. Returns the kinds of its differences.
 */
async function assertDecidesAsFresh(
  card: CardSketch,
  change: ControlsChange,
  steps: readonly Step[],
): Promise<readonly DifferenceKind[]> {
  const template = change.template_id === undefined ? null : otherTemplate(card);
  const same_currency = change.currency === undefined || change.currency === card.currency;
  const world = worldOf(card);
  // A person who saw other amounts would have matched others.
  const sent = play(world, same_currency ? steps : steps.filter(({ step }) => step !== 'rematch'));
  const { replay, differences } = await replayIn(world, card, { change, template });
  const fresh = worldOf(changedCard(cardOf({ template: gambling_denied, ...card }), change, template));
  /** The authorizations of the fresh card by those of the record. */
  const ids = new Map<number, number>();
  for (const { message, at_ms, row } of sent) {
    fresh.now_ms = at_ms;
    if (row !== null) drawing(fresh, drawOf(row));
    const before = fresh.state.authorizations.values().length;
    fresh.send(messageFor(message, row, { fresh, ids, same_currency }));
    const rows = fresh.state.authorizations.values();
    if (row === null) continue;
    const replayed = replay.state.authorization(row.id);
    if (rows.length === before) assert.equal(replayed, undefined);
    else {
      const made = rows.at(-1)!;
      ids.set(row.id, made.id);
      assert.deepEqual(decided(replayed!), decided(made));
    }
  }
  return differences.map(({ kind }) => kind);
}

describe('a replay with changed controls', () => {
  const kinds = new Set<DifferenceKind>();

  test('decides as a card that had them from the beginning', async () => {
    await fc.assert(
      fc.asyncProperty(cards, changes, histories, async (card, change, steps) => {
        for (const kind of await assertDecidesAsFresh(card, change, steps)) kinds.add(kind);
      }),
      propertyParameters({ short: 300, full: 3_000 }),
    );
    for (const kind of difference_kinds) assert.ok(kinds.has(kind), `no message was ${kind}`);
  });

  test('sends the recorded approval code of an advice, even of one that sent none', async () => {
    const card = { recurring: 'Continuous', total_card_amount: money(1_000) } as const;
    const verification = { step: 'authorization', trace_id: 'T1', billing_amount: 0 } as const;
    const net_reference_number = 'MCCABC1241121';
    const clearing = { step: 'clearing', billing_amount: 0, approval_code: 'A1B2C3', net_reference_number } as const;
    const advice = { ...verification, message_type_indicator: '0120', response_code: '00', net_reference_number };
    // Without an approved request, the advice is a purchase of its own, which the clearing settles.
    await assertDecidesAsFresh(card, { valid_starting_on: '2026-11-22' }, [verification, clearing, advice]);
  });

  test('takes a clearing by hand from the authorization to which it belongs then', async () => {
    const card = { recurring: 'Continuous', total_card_amount: money(300) } as const;
    const net_reference_number = 'MCCABC1231121';
    const purchase = { step: 'authorization', trace_id: 'T1', net_reference_number, billing_amount: 500 } as const;
    const advice = { ...purchase, message_type_indicator: '0120', response_code: '00', billing_amount: 0 };
    await assertDecidesAsFresh(card, { total_card_amount: money(500) }, [
      purchase,
      { step: 'clearing', billing_amount: 0, net_reference_number },
      // With the recorded controls, the clearing belongs to the advice, because the request was declined.
      advice,
      { step: 'rematch', kind: 'unmatch', clearing: 0, root: 0 },
      { step: 'authorization', trace_id: 'T9', billing_amount: 1 },
    ]);
  });
});

interface FreshCard {
  readonly fresh: NetworkWorld;
  /** Its authorizations by those of the record. */
  readonly ids: ReadonlyMap<number, number>;
  readonly same_currency: boolean;
}

/**
 * The message as it is sent to the fresh card, whose authorizations have other ids. The approval code
 * of an advice and what a company said are known only from the record, and a part that was declined
 * only in its currency.
 */
function messageFor(
  message: NetworkMessage,
  row: Authorization | null,
  { fresh, ids, same_currency }: FreshCard,
): NetworkMessage {
  if (message.kind === 'release') return { ...message, authorization_id: ids.get(message.authorization_id) ?? 0 };
  if (message.kind === 'rematch') {
    // The person sees to what the clearing belongs on the fresh card.
    const matches = message.matches.map((match) => {
      const authorization_id = match.authorization_id === null ? null : (ids.get(match.authorization_id) ?? 0);
      return { ...match, ...seenIn(fresh.clearing(match.clearing_id)), authorization_id };
    });
    return { ...message, matches };
  }
  if (message.kind !== 'authorization') return message;
  // The record does not show whether an advice said its approval code, or got that of its request.
  if (message.message_type === '0120') return { ...message, approval_code: row?.approval_code ?? null };
  const in_part = same_currency || row?.decline_code === null;
  const { say } = message;
  const is_known = row?.decline_code === 'P' || (in_part && say?.answer === 'approve_part');
  if (is_known || say === undefined) return message;
  // The facts show that an advice overtook the request, which had a say then.
  const was_overtaken = !message.incremental && typeof row?.facts?.[3] === 'number';
  return { ...message, say: was_overtaken ? { ...say, answer: 'approve', amount: null } : undefined };
}

function decided(row: Authorization) {
  const { decline_code, details, facts, window_start_ms } = row;
  const [, , ...values] = facts ?? [];
  const broken_reason = details.broken_reason ?? null;
  // Clearings are matched by the codes of roots only.
  const approval_code = isStandingRoot(row) ? row.approval_code : null;
  return { decline_code, broken_reason, approval_code, window_start_ms, values: values.slice(0, 5) };
}
