import { match_reach_days, neighbours_max, recorded_ahead_days } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';
import { type CardStorage, idsOf, rising } from '../storage/storage.ts';
import { day_ms, freshCard, freshCards, nothing_in_common, of_merchant } from './card-under-test.ts';
import { crowds } from './ledger-order.ts';

/**
 * What a pass does not load. The port permits a pass to load more than it promises, so an adapter
 * may keep its promises and break these rules. They bound the work of a pass: it must not grow with
 * the history of a card.
 */
export const ledger_bounds: readonly ContractRule<CardStorage>[] = [
  rule('a message loads nothing of other cards, and no authorization with another trace id', async (storage) => {
    const [card, other] = await freshCards(storage, 2);
    await card!.recordAuthorization('T-mine');
    // A final match: an authorization does not concern it.
    await card!.recordClearing({ match_rule: 1 });
    const messages = [
      card!.authorization({ trace_id: 'T-other' }),
      other!.authorization({ trace_id: 'T-mine' }),
      other!.clearing(),
    ];
    for (const message of messages) {
      const { authorizations, clearings } = await card!.look(message);
      assertEqual([authorizations, clearings], [[], []], 'what is loaded');
    }
  }),
  rule('a clearing loads only roots that have a reference or a merchant in common with it', async (storage) => {
    const card = await freshCard(storage);
    const root = await card.recordAuthorization('T-root', { approval_code: 'QQ1234' });
    await card.recordAuthorization('T-unrelated');
    await card.recordAuthorization('T-child', { approval_code: 'QQ1234', root_id: root.id });
    const state = await card.look(card.clearing({ ...nothing_in_common, approval_code: 'QQ1234' }));
    assertEqual(idsOf(state.authorizations), [root.id], 'the authorizations');
  }),
  rule(
    'of a merchant, authorizations from before the reach of matching and of other amounts are left out',
    async (storage) => {
      const card = await freshCard(storage);
      const decided_at_ms = storage.now_ms - (match_reach_days + recorded_ahead_days + 2) * day_ms;
      await card.recordAuthorization('T-old', { ...of_merchant, decided_at_ms });
      const amounts = { billing_amount: money(501), merchant_amount: money(502), authorized: money(503) };
      await card.recordAuthorization('T-other-amounts', { ...of_merchant, ...amounts });
      const near = await card.recordAuthorization('T-near', of_merchant);
      const state = await card.look(card.clearing({ ...nothing_in_common, merchant_id: 'M-recent' }));
      assertEqual(idsOf(state.authorizations), [near.id], 'the authorizations');
    },
  ),
  rule('of a merchant, a debit loads no authorization that is done with and no clearing', async (storage) => {
    const card = await freshCard(storage);
    const waiting = await card.recordAuthorization('T-waiting', of_merchant);
    for (const status of ['cleared', 'reversed', 'declined'] as const) {
      await card.recordAuthorization(`T-${status}`, { ...of_merchant, status });
    }
    await card.recordClearing(of_merchant);
    const last = { ...nothing_in_common, settlement_date: '2026-05-21' };
    const debit = await card.look(card.clearing({ ...last, merchant_id: 'M-recent' }));
    assertEqual([idsOf(debit.authorizations), debit.clearings], [[waiting.id], []], 'what is loaded');
  }),
  rule('a clearing that a reference settles loads nothing else of its merchant', async (storage) => {
    const card = await freshCard(storage);
    const day = { net_reference_number: 'MCCSETTLE0520', merchant_id: 'M-recent' };
    const settled = await card.recordAuthorization('T-settled', day);
    await card.recordAuthorization('T-same-merchant', of_merchant);
    const state = await card.look(card.clearing({ ...nothing_in_common, ...day }));
    assertEqual(idsOf(state.authorizations), [settled.id], 'the authorizations');
  }),
  rule(
    'no window is loaded for records that count in the window of the counters, nor for declined ones',
    async (storage) => {
      const card = await freshCard(storage);
      await card.recordAuthorization('T-window');
      await card.recordAuthorization('T-window-declined', { window_start_ms: -day_ms, status: 'declined' });
      for (const trace_id of ['T-window', 'T-window-declined']) {
        assertEqual((await card.look(card.authorization({ trace_id }))).windows, [], 'the windows');
      }
    },
  ),
  rule('a debit does not load the clearings that refer to those found', async (storage) => {
    const card = await freshCard(storage);
    const found = { ...nothing_in_common, acquirer_reference_data: 'ARD-1' };
    const purchase = await card.recordClearing(found);
    await card.recordClearing({ ...nothing_in_common, clearing_id: purchase.id });
    const last = card.clearing({ ...found, settlement_date: '2026-05-21' });
    assertEqual(idsOf((await card.look(last)).clearings), [purchase.id], 'the clearings');
  }),
  rule('of clearings that a message concerns, one more is loaded than a pass reads, and no others', async (storage) => {
    for (const { recorded, sent } of crowds) {
      const [card] = await freshCards(storage, 1);
      await card!.recordClearings(neighbours_max + 10, recorded);
      const { clearings } = await card!.look(card!.authorization({ trace_id: 'T-new', ...sent }));
      assertEqual(clearings.length, neighbours_max + 1, 'how many are loaded');
    }
  }),
  rule('no hold is loaded before the next end, and then none after the next one', async (storage) => {
    const card = await freshCard(storage);
    const { now_ms } = storage;
    const due = await card.recordAuthorization('T-due', { hold_end_ms: now_ms });
    await card.recordAuthorization('T-released', { hold_end_ms: now_ms - 2, status: 'reversed' });
    const next = await card.recordAuthorization('T-next', { hold_end_ms: now_ms + 2 });
    await card.recordAuthorization('T-later', { hold_end_ms: now_ms + 3 });
    const message = card.authorization({ trace_id: 'T-none' });
    await card.setNextHoldEnd(now_ms + 1);
    assertEqual((await card.look(message)).authorizations, [], 'before the end');
    await card.setNextHoldEnd(now_ms - 1);
    const found = idsOf((await card.look(message)).authorizations);
    await card.setNextHoldEnd(null);
    assertEqual(rising(found), [due.id, next.id], 'after the end');
  }),
];
