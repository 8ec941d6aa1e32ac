import {
  type Clearing,
  type ClearingMessage,
  type Fold,
  type LedgerState,
  match_reach_days,
  no_changes,
  withoutDetails,
} from '@tallystick/cards';
import { assert, money, toHex } from '@tallystick/kernel';
import { assertEqual, assertIncludes } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';
import { type CardStorage, idsOf, makeCard, makeOwner, newCard, rising, sealedNumber } from '../storage/storage.ts';
import {
  type CardUnderTest,
  day_ms,
  freshCard,
  freshCards,
  nothing_in_common,
  of_merchant,
} from './card-under-test.ts';
import { authorizationMessage, clearingMessage, freezeMessage, look, releaseMessage } from './network-messages.ts';

/** Returns the loaded windows with their fields in one order. */
function windowsOf({ windows }: LedgerState): readonly LedgerState['windows'][number][] {
  return windows.map(({ card_id, window_start_ms, held, cleared, uses }) => {
    return { card_id, window_start_ms, held, cleared, uses };
  });
}

/** By description: the only fields of a clearing that match the authorization. */
const references: Readonly<Record<string, Partial<ClearingMessage>>> = {
  'its approval code': { approval_code: 'QQ1234' },
  'its network reference number': { net_reference_number: 'MCCQQ12340520' },
  'the six characters of its network reference number': { net_reference_number: 'XXXQQ12349999' },
  'its merchant, when it is a credit': { merchant_id: 'MQQ', clearing_type: 'CREDIT' },
};

/**
 * The contract of every adapter of `Ledger` for the state that a pass loads. The port permits a
 * pass to load more, so these rules look only for what must be present.
 */
export const ledger_loading_rules: readonly ContractRule<CardStorage>[] = [
  rule('a pass loads the card of a number with its controls, counters and template, and the clock', async (storage) => {
    const number = sealedNumber();
    const [owner, card] = await storage.unitOfWork.run(async (tx) => {
      const made = await makeOwner(tx);
      return [made, await makeCard(tx, made, {}, number)] as const;
    });
    const unknown = authorizationMessage(sealedNumber().number_index, { trace_id: 'T2' });
    const state = await storage.ledger.pass([authorizationMessage(number.number_index), unknown], look);
    assertEqual(state.now_ms, storage.now_ms, 'the clock');
    const {
      notified: _notified,
      supplier_id: _supplier_id,
      created_at_ms: _created_at_ms,
      canceled_at_ms: _canceled_at_ms,
      ...controls
    } = withoutDetails(newCard(owner));
    const expected = {
      ...controls,
      id: card.id,
      rcn_alias: 'Travel',
      billing_currency: 'USD',
      number_index: number.number_index,
      template: { mcc_rule: 'DENY', mcc_list: [], merchant_controls: null, version: 1 },
      counters: {
        window_start_ms: 0,
        held: 0,
        cleared: 0,
        uses: 0,
        next_hold_end_ms: null,
        code_failures: 0,
        code_failures_on: null,
      },
    };
    const loaded = state.cards.find(({ id }) => id === card.id);
    assert(loaded !== undefined, 'the card was not loaded');
    const compared = Object.entries(loaded).filter(([name]) => Object.hasOwn(expected, name));
    assertEqual(Object.fromEntries(compared), expected, 'the card');
  }),
  rule(
    'of the numbers that messages look up, those of cards are found, and no card of them is locked',
    async (storage) => {
      const [card, named, later] = await freshCards(storage, 3);
      const unknown = sealedNumber().number_index;
      const suspectsOf = (...indexes: readonly Uint8Array[]) =>
        indexes.map((number_index) => ({ field: 'trace_id', number_index }));
      const messages = [
        card!.authorization({ suspects: suspectsOf(named!.number_index, unknown) }),
        card!.clearing({ suspects: suspectsOf(later!.number_index, named!.number_index) }),
      ];
      const { known_numbers, cards } = await card!.look(...messages);
      const found = new Set(known_numbers.map((index) => toHex(index)));
      assertEqual(
        [...found].toSorted(),
        [named!, later!].map(({ number_index }) => toHex(number_index)).toSorted(),
        'the numbers',
      );
      assertEqual(idsOf(cards), [card!.id], 'the cards');
      const { known_numbers: none } = await card!.look(card!.authorization({ suspects: suspectsOf(unknown) }));
      assertEqual(none, [], 'the numbers of no card');
      assertEqual((await card!.look(card!.authorization())).known_numbers, [], 'without a number to look up');
    },
  ),
  rule('the wrong codes of a card are loaded as the last pass wrote them', async (storage) => {
    const card = await freshCard(storage);
    for (const codes of [
      { code_failures: 3, code_failures_on: '2026-05-20' },
      { code_failures: 10, code_failures_on: '2026-05-21' },
      { code_failures: 0, code_failures_on: null },
    ]) {
      await storage.ledger.pass([card.authorization()], ({ cards }) => {
        const counters = cards.map((one) => ({ card_id: one.id, counters: { ...one.counters, ...codes } }));
        return { changes: { ...no_changes, counters }, result: null };
      });
      const { cards } = await card.look(card.authorization());
      const { code_failures, code_failures_on } = cards[0]!.counters;
      assertEqual({ code_failures, code_failures_on }, codes, 'the wrong codes');
      assertEqual((await card.read()).counters, cards[0]!.counters, 'the counters that a reader sees');
    }
  }),
  rule("a pass loads how long the holds of the card's company last, as it is now", async (storage) => {
    const card = await freshCard(storage);
    for (const hold_days of [7, 'never', null] as const) {
      await storage.unitOfWork.run(async ({ companies }) => {
        const company = await companies.find(card.company_id);
        assert(company !== null, 'the company of the card is missing');
        await companies.update({ ...company, hold_days });
      });
      const { cards } = await card.look(card.authorization());
      assertEqual(cards[0]?.hold_days, hold_days, 'the days');
    }
  }),
  rule("a pass loads whether the card's company is closed, as it is now", async (storage) => {
    const card = await freshCard(storage);
    for (const status of ['closed', 'active'] as const) {
      await storage.unitOfWork.run(async ({ companies }) => {
        const company = await companies.find(card.company_id);
        assert(company !== null, 'the company of the card is missing');
        await companies.update({ ...company, status });
      });
      const { cards } = await card.look(card.authorization());
      assertEqual(cards[0]?.company_status, status, 'the status');
    }
  }),
  rule('a pass has new ascending ids, one of each kind for every message that may need one', async (storage) => {
    const card = await freshCard(storage);
    const messages = [card.authorization(), card.authorization({ trace_id: 'T2' }), card.clearing()];
    const { authorization_ids, clearing_ids, event_ids } = await card.look(...messages);
    assert(authorization_ids.length >= 2, 'an authorization has no id');
    assert(clearing_ids.length >= 1, 'a clearing has no id');
    assert(event_ids.length >= 3, 'an event has no id');
    for (const ids of [authorization_ids, clearing_ids, event_ids]) {
      assertEqual(ids, rising(new Set(ids)), 'the ids');
    }
    const coded = [card.authorization({ cvc: '123' }), card.authorization({ trace_id: 'T2', cvc: '123' })];
    assert((await card.look(...coded)).event_ids.length >= 4, 'a message with a code has one id for events');
    const { id } = await card.recordAuthorization('T3');
    const next = await card.look(card.authorization({ trace_id: 'T4' }));
    assert(next.authorization_ids[0]! > id, 'an id is not above those before');
  }),
  rule(
    'an authorization is loaded as it was written, for a message with its card and its trace id',
    async (storage) => {
      const [card] = await freshCards(storage, 1);
      const end_ms = storage.now_ms + day_ms;
      const written = await card!.recordAuthorization('T-back', {
        facts: [2, 3, 100, null, 40, -5, 1, 'ALLOW', null, 7],
        hold_end_ms: end_ms,
        incremental: true,
        root_id: null,
      });
      const { authorizations } = await card!.look(card!.authorization({ trace_id: 'T-back' }));
      assertIncludes(authorizations, [written], 'the authorizations');
    },
  ),
  rule('the root of a found authorization is loaded, even with another trace id', async (storage) => {
    const card = await freshCard(storage);
    const root = await card.recordAuthorization('T-root');
    const child = await card.recordAuthorization('T-child', { root_id: root.id });
    const { authorizations } = await card.look(card.authorization({ trace_id: 'T-child' }));
    assertIncludes(idsOf(authorizations), [root.id, child.id], 'the authorizations');
  }),
  rule('an authorization that a pass changed is loaded with the change', async (storage) => {
    const card = await freshCard(storage);
    const before = await card.recordAuthorization('T-change');
    const change = {
      id: before.id,
      card_id: card.id,
      status: 'partially_cleared',
      authorized: 12,
      held: 7,
      cleared: 5,
      uses: 1,
      hold_end_ms: storage.now_ms + 1,
      uncleared_status: 'open',
      uncleared_uses: 1,
    } as const;
    const message = card.authorization({ trace_id: 'T-change' });
    await storage.ledger.pass([message], () => ({
      changes: { ...no_changes, authorizations_changed: [change] },
      result: null,
    }));
    assertIncludes((await card.look(message)).authorizations, [{ ...before, ...change }], 'the authorizations');
  }),
  rule('a clearing is loaded as it was written, for a repeated message on any card or on none', async (storage) => {
    const [card, other] = await freshCards(storage, 2);
    const written = await card!.recordClearing({ partial: true, review: true, clearing_type: 'CREDIT' });
    const { network_financial_transaction_id } = written;
    for (const number_index of [card!.number_index, other!.number_index, sealedNumber().number_index]) {
      const copy = clearingMessage(number_index, { network_financial_transaction_id, ...nothing_in_common });
      assertIncludes((await card!.look(copy)).clearings, [written], 'the clearings');
    }
  }),
  rule('the card of a clearing is also found by its id', async (storage) => {
    const [card, other] = await freshCards(storage, 2);
    const message = { ...card!.clearing(), number_index: null, vcn_id: card!.id };
    const state = await card!.look(message, other!.authorization());
    assertIncludes(idsOf(state.cards), [card!.id, other!.id], 'the cards');
  }),
  rule(
    'a release loads its card and the authorization of the card that it names, without a new id for one',
    async (storage) => {
      const [card, other] = await freshCards(storage, 2);
      const written = await card!.recordAuthorization('T-release');
      const message = releaseMessage(card!.id, written.id);
      const state = await card!.look(message, other!.authorization());
      assertIncludes(idsOf(state.cards), [card!.id, other!.id], 'the cards');
      assertIncludes(state.authorizations, [written], 'the authorizations');
      assert(state.event_ids.length >= 2, 'a release has no id for its event');
      const unknown = await card!.look(releaseMessage(999_999_999, written.id));
      assertEqual(unknown.cards, [], 'the cards of an unknown id');
    },
  ),
  rule('a freeze loads its card, with an id for its event', async (storage) => {
    const [card, other] = await freshCards(storage, 2);
    const state = await card!.look(freezeMessage(card!.id, true), other!.authorization());
    assertIncludes(idsOf(state.cards), [card!.id, other!.id], 'the cards');
    assert(state.event_ids.length >= 2, 'a freeze has no id for its event');
    assertEqual((await card!.look(freezeMessage(999_999_999, true))).cards, [], 'the cards of an unknown id');
  }),
  ...Object.entries(references).map(
    ([by, fields]): ContractRule<CardStorage> =>
      rule(`the candidates of a clearing are found by ${by}`, async (storage) => {
        const [card] = await freshCards(storage, 1);
        const marked = {
          approval_code: 'QQ1234',
          net_reference_number: 'MCCQQ12340520',
          merchant_id: 'MQQ',
          merchant_amount: money(777),
        };
        const root = await card!.recordAuthorization('T-root', marked);
        const earlier = await card!.recordClearing(marked);
        const message = card!.clearing({ ...nothing_in_common, ...fields });
        const state = await card!.look(message);
        assertIncludes(idsOf(state.authorizations), [root.id], 'the authorizations');
        assertIncludes(idsOf(state.clearings), [earlier.id], 'the clearings');
      }),
  ),
  rule(
    'an earlier clearing is found by its acquirer reference data, with the authorization that it was matched to',
    async (storage) => {
      const card = await freshCard(storage);
      const root = await card.recordAuthorization('T-matched');
      const acquirer = { ...nothing_in_common, acquirer_reference_data: 'ARD-1' };
      const cleared = await card.recordClearing({ ...acquirer, authorization_id: root.id });
      const state = await card.look(card.clearing(acquirer));
      assertIncludes(state.clearings, [cleared], 'the clearings');
      assertIncludes(state.authorizations, [root], 'the authorizations');
    },
  ),
  rule('the authorizations of a merchant are found as far back as matching reaches', async (storage) => {
    const card = await freshCard(storage);
    const decided_at_ms = storage.now_ms - match_reach_days * day_ms;
    const near = await card.recordAuthorization('T-near', { decided_at_ms, merchant_id: 'M-recent' });
    const state = await card.look(card.clearing({ ...nothing_in_common, merchant_id: 'M-recent' }));
    assertIncludes(state.authorizations, [near], 'the authorizations');
  }),
  rule('messages that name a date years ahead find what arrived lately of their merchant', async (storage) => {
    const card = await freshCard(storage);
    const root = await card.recordAuthorization('T-ahead', of_merchant);
    const cleared = await card.recordClearing({ ...nothing_in_common, merchant_id: 'M-recent', match_rule: 6 });
    const clearing = card.clearing({
      ...nothing_in_common,
      merchant_id: 'M-recent',
      settlement_date: '2036-05-21',
      clearing_type: 'CREDIT',
    });
    const of_clearing = await card.look(clearing);
    assertIncludes(idsOf(of_clearing.authorizations), [root.id], 'the authorizations for a clearing');
    assertIncludes(idsOf(of_clearing.clearings), [cleared.id], 'the clearings for a clearing');
    const transaction_date_time_ms = Date.UTC(2036, 4, 20);
    const message = { trace_id: 'T-new', net_reference_number: null, merchant_id: 'M-recent' };
    const of_authorization = await card.look(card.authorization({ ...message, transaction_date_time_ms }));
    assertIncludes(idsOf(of_authorization.clearings), [cleared.id], 'the clearings for an authorization');
  }),
  rule('the authorizations of a merchant are found by each of their amounts', async (storage) => {
    const card = await freshCard(storage);
    const other_amounts = { ...of_merchant, merchant_amount: money(502), authorized: money(503) };
    const billed = await card.recordAuthorization('T-billed', { ...other_amounts, billing_amount: money(601) });
    const paid = await card.recordAuthorization('T-paid', { ...of_merchant, merchant_amount: money(602) });
    const authorized = await card.recordAuthorization('T-authorized', { ...other_amounts, authorized: money(602) });
    const amounts = { billing_amount: money(601), merchant_amount: money(602) };
    const message = card.clearing({ ...nothing_in_common, merchant_id: 'M-recent', ...amounts });
    const { authorizations } = await card.look(message);
    assertIncludes(idsOf(authorizations), [billed.id, paid.id, authorized.id], 'by either amount');
    const billed_only = await card.look({ ...message, merchant_amount: null });
    assertIncludes(idsOf(billed_only.authorizations), [billed.id], 'by the billing amount alone');
  }),
  rule('finished authorizations and earlier clearings of a merchant are loaded for credits', async (storage) => {
    const card = await freshCard(storage);
    const waiting = await card.recordAuthorization('T-waiting', { ...of_merchant, status: 'partially_cleared' });
    const cleared = await card.recordAuthorization('T-cleared', { ...of_merchant, status: 'cleared' });
    const reversed = await card.recordAuthorization('T-reversed', { ...of_merchant, status: 'reversed' });
    const earlier = await card.recordClearing(of_merchant);
    const message = card.clearing({ ...nothing_in_common, merchant_id: 'M-recent' });
    const debit = await card.look(message);
    assertIncludes(idsOf(debit.authorizations), [waiting.id], 'what a debit finds');
    const credit = await card.look({ ...message, clearing_type: 'CREDIT' });
    const ids = [waiting.id, cleared.id, reversed.id];
    assertIncludes(idsOf(credit.authorizations), ids, 'the authorizations that a credit finds');
    assertIncludes(credit.clearings, [earlier], 'the clearings that a credit finds');
  }),
  rule('a clearing with a reference loads its merchant too, if the pass decides on the card', async (storage) => {
    const card = await freshCard(storage);
    const day = { net_reference_number: 'MCCSETTLE0520', merchant_id: 'M-recent' };
    const settled = await card.recordAuthorization('T-settled', day);
    const other = await card.recordAuthorization('T-same-merchant', of_merchant);
    const message = card.clearing({ ...nothing_in_common, ...day });
    assertIncludes(idsOf((await card.look(message)).authorizations), [settled.id], 'the clearing alone');
    const beside = await card.look(message, card.authorization({ trace_id: 'T-other' }));
    assertIncludes(idsOf(beside.authorizations), [settled.id, other.id], 'beside a message to be decided');
    const tie = await card.recordAuthorization('T-tie', day);
    assertIncludes(idsOf((await card.look(message)).authorizations), [settled.id, tie.id], 'two with one reference');
  }),
  rule(
    'for a credit, the clearings that refer to those found are loaded, and those that refer to these',
    async (storage) => {
      const card = await freshCard(storage);
      for (const found of [{ acquirer_reference_data: 'ARD-1' }, { merchant_id: 'M-recent' }]) {
        const purchase = await card.recordClearing({ ...nothing_in_common, ...found });
        const refers = (to: Clearing) => card.recordClearing({ ...nothing_in_common, clearing_id: to.id });
        const credit = await refers(purchase);
        const reversal = await refers(credit);
        const other = await refers(purchase);
        const message = card.clearing({ ...nothing_in_common, ...found, clearing_type: 'CREDIT' });
        const { clearings } = await card.look(message);
        assertIncludes(clearings, [purchase, credit, reversal, other], 'the clearings');
      }
    },
  ),
  rule(
    'a past window is loaded as the last pass wrote it, when a loaded authorization or clearing counts in it',
    async (storage) => {
      const [card, other] = await freshCards(storage, 2);
      const marked = { window_start_ms: -2 * day_ms, approval_code: 'WW1234' };
      const root = await card!.recordAuthorization('T-window', marked);
      await card!.recordClearing({ ...nothing_in_common, ...marked, window_start_ms: -day_ms });
      const window = (of: CardUnderTest, window_start_ms: number, held: number) => ({
        card_id: of.id,
        window_start_ms,
        held: money(held),
        cleared: money(-3),
        uses: 2,
      });
      await card!.writeWindows(window(card!, -2 * day_ms, 1), window(card!, -day_ms, 5));
      await card!.writeWindows(window(card!, -2 * day_ms, 7), window(other!, -2 * day_ms, 9));
      const stored = (held: number, at: number) => window(card!, at, held);
      const by_trace = await card!.look(card!.authorization({ trace_id: 'T-window' }));
      assertIncludes(windowsOf(by_trace), [stored(7, -2 * day_ms)], 'the window of an authorization');
      const by_reference = await card!.look(card!.clearing({ ...nothing_in_common, approval_code: 'WW1234' }));
      const expected = [stored(7, -2 * day_ms), stored(5, -day_ms)];
      assertIncludes(windowsOf(by_reference), expected, 'the windows of an authorization and a clearing');
      const child = await card!.recordAuthorization('T-of-window', { root_id: root.id });
      const by_child = await card!.look(card!.authorization({ trace_id: child.trace_id }));
      assertIncludes(windowsOf(by_child), [stored(7, -2 * day_ms)], 'the window of a root');
    },
  ),
  rule('a past window that was never written is loaded with counters of 0', async (storage) => {
    const card = await freshCard(storage);
    await card.recordAuthorization('T-first', { window_start_ms: -day_ms });
    const state = await card.look(card.authorization({ trace_id: 'T-first' }));
    const none = { card_id: card.id, window_start_ms: -day_ms, held: 0, cleared: 0, uses: 0 };
    assertIncludes(windowsOf(state), [none], 'the windows');
  }),
  rule('the windows of ended holds are loaded', async (storage) => {
    const card = await freshCard(storage);
    const hold_end_ms = storage.now_ms - 1;
    await card.recordAuthorization('T-due', { window_start_ms: -day_ms, held: money(4), hold_end_ms });
    const sums = { card_id: card.id, window_start_ms: -day_ms, held: money(4), cleared: money(0), uses: 1 };
    await card.writeWindows(sums);
    await card.setNextHoldEnd(hold_end_ms);
    const by_message = windowsOf(await card.look(card.authorization({ trace_id: 'T-none' })));
    const due = await storage.ledger.passDue(100, look);
    await card.setNextHoldEnd(null);
    assertIncludes(by_message, [sums], 'for a message');
    assertIncludes(windowsOf(due), [sums], 'for a pass over due cards');
  }),
  rule('when a hold has ended, the ended holds and the next one are loaded', async (storage) => {
    const card = await freshCard(storage);
    const { now_ms } = storage;
    const due = await card.recordAuthorization('T-due', { hold_end_ms: now_ms - 1 });
    const due_now = await card.recordAuthorization('T-due-now', { hold_end_ms: now_ms });
    // Partially cleared for the whole amount of its hold. It ends nothing, and must not hide the
    // hold that ends next.
    const emptied = { hold_end_ms: now_ms + 1, status: 'partially_cleared', held: money(0) } as const;
    await card.recordAuthorization('T-emptied', emptied);
    const next = await card.recordAuthorization('T-next', { hold_end_ms: now_ms + 2 });
    const message = card.authorization({ trace_id: 'T-none' });
    await card.setNextHoldEnd(now_ms - 1);
    const found = idsOf((await card.look(message)).authorizations);
    await card.setNextHoldEnd(null);
    assertIncludes(found, [due.id, due_now.id, next.id], 'after the end');
  }),
  rule('a pass over due cards takes the cards whose next hold has ended, at most the limit', async (storage) => {
    const { ledger, now_ms } = storage;
    const settle: Fold<number> = (state) => ({
      changes: {
        ...no_changes,
        counters: state.cards.map(({ id, counters }) => ({
          card_id: id,
          counters: { ...counters, next_hold_end_ms: null },
        })),
      },
      result: state.cards.length,
    });
    // Holds that other rules left.
    while ((await ledger.passDue(100, settle)) > 0);
    const [one, two, three, later] = await freshCards(storage, 4);
    for (const card of [one!, two!, three!]) await card.setNextHoldEnd(now_ms);
    await later!.setNextHoldEnd(now_ms + 1);
    const hold = await one!.recordAuthorization('T-due', { hold_end_ms: now_ms });
    const all = await ledger.passDue(10, look);
    assertEqual(rising(idsOf(all.cards)), [one!.id, two!.id, three!.id], 'the due cards');
    assertIncludes(all.authorizations, [hold], 'their holds');
    assertEqual((await ledger.passDue(2, look)).cards.length, 2, 'a pass over two cards');
    await ledger.passDue(10, settle);
    assertEqual((await ledger.passDue(10, look)).cards, [], 'what is due afterwards');
  }),
];
