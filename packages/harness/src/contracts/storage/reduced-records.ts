import type { LedgerState, Lookup } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { day_ms, freshCards, nothing_in_common, of_merchant } from '../ledger/card-under-test.ts';
import { type ContractRule, rule } from '../rule.ts';
import { purgeAll, type RetentionStorage } from './retention-store.ts';
import { idsOf } from './storage.ts';

const settled = { status: 'cleared', held: money(0), authorized: money(10), cleared: money(10) } as const;

async function cardsOf(storage: RetentionStorage, changes: Parameters<typeof freshCards>[2] = {}) {
  const [card] = await freshCards(storage, 1, changes);
  const before_ms = storage.now_ms + 1;
  const reduce = async (kind: 'authorizations' | 'clearings', first_id: number, until_ms = before_ms) => {
    const rows = await purgeAll(storage, kind, until_ms, first_id - 1, storage.now_ms);
    return rows.filter(({ card_id }) => card_id === card!.id).map(({ id }) => id);
  };
  return { card: card!, reduce };
}

export const reduced_records_contract: readonly ContractRule<RetentionStorage>[] = [
  rule('an authorization is due when it is old enough and neither it nor its root holds an amount', async (storage) => {
    const { card, reduce } = await cardsOf(storage);
    const done = await card.recordAuthorization('T-done', settled);
    const held = await card.recordAuthorization('T-held', { held: money(5), hold_end_ms: null });
    const child = await card.recordAuthorization('T-child', { ...settled, root_id: held.id });
    const declined = await card.recordAuthorization('T-no', { status: 'declined', held: money(0) });
    const young = await card.recordAuthorization('T-young', { ...settled, decided_at_ms: storage.now_ms + day_ms });
    assertEqual(await reduce('authorizations', done.id, storage.now_ms), [], 'at the instant itself');
    assertEqual(await reduce('authorizations', done.id), [done.id, declined.id], 'the settled ones');
    assertEqual(await reduce('authorizations', done.id), [], 'again');
    const { authorizations } = await card.read();
    assertEqual(idsOf(authorizations), [young.id, child.id, held.id], 'the page');
  }),
  rule('a record stays while it counts in the present window of its card, and goes after it', async (storage) => {
    const { card, reduce } = await cardsOf(storage, { recurring: 'Yearly' });
    const year_ms = Date.UTC(2026, 0, 1);
    const past = await card.recordAuthorization('T-past', { ...settled, window_start_ms: Date.UTC(2025, 0, 1) });
    await card.recordAuthorization('T-now', { ...settled, window_start_ms: year_ms });
    const old = await card.recordClearing({ window_start_ms: Date.UTC(2025, 0, 1) });
    await card.recordClearing({ window_start_ms: year_ms });
    assertEqual(await reduce('authorizations', past.id), [past.id], 'authorizations');
    assertEqual(await reduce('clearings', old.id), [old.id], 'clearings');
    const next_year = { before_ms: storage.now_ms + 1, now_ms: Date.UTC(2027, 0, 1) };
    const later = await storage.unitOfWork.read((tx) => tx.retention.due('clearings', next_year, old.id));
    assertEqual(later.rows.length > 0, true, 'a year later');
  }),
  rule(
    'a pass finds a reduced authorization by its trace id, its references and its merchant, with what rules read',
    async (storage) => {
      const { card, reduce } = await cardsOf(storage);
      const read = { merchant_name: 'Diner', card_holder_transaction_type_code: '20', broken_reason: 'F' };
      const details = { ...read, merchant_city: 'Lund' };
      const facts = [1, 1, 100, null, 0, 0, 0, 5_000, null] as const;
      const fields = { ...settled, details, facts, approval_code: 'QQ1234', net_reference_number: 'MCCQQ12340520' };
      const root = await card.recordAuthorization('T-old', fields);
      await reduce('authorizations', root.id);
      const reduced = { ...root, details: read, request_id: null, reduced_at_ms: storage.now_ms };
      const found = async (message: Lookup): Promise<LedgerState['authorizations']> =>
        (await card.look(message)).authorizations;
      assertEqual(await found(card.authorization({ trace_id: 'T-old' })), [reduced], 'by trace id');
      for (const key of [{ approval_code: 'QQ1234' }, { net_reference_number: 'MCCQQ12340520' }]) {
        assertEqual(await found(card.clearing({ ...nothing_in_common, ...key })), [reduced], JSON.stringify(key));
      }
      const waiting = { ...of_merchant, status: 'expired', held: money(0) } as const;
      const past = await card.recordAuthorization('T-past', {
        ...waiting,
        decided_at_ms: storage.now_ms - 90 * day_ms,
      });
      const expired = await card.recordAuthorization('T-expired', waiting);
      const young = { ...waiting, decided_at_ms: storage.now_ms + 1 };
      const whole = await card.recordAuthorization('T-whole', young);
      assertEqual(await reduce('authorizations', past.id), [past.id, expired.id], 'the old ones');
      const of_its_merchant = await found(
        card.clearing({ ...nothing_in_common, merchant_id: of_merchant.merchant_id }),
      );
      assertEqual(idsOf(of_its_merchant).toSorted(), [expired.id, whole.id], 'by merchant, within reach');
    },
  ),
  rule(
    'a reduced clearing leaves the pages, and a pass finds it by its transaction, its references and its merchant',
    async (storage) => {
      const { card, reduce } = await cardsOf(storage);
      const held = await card.recordAuthorization('T-held', { held: money(5), status: 'partially_cleared' });
      const first = await card.recordClearing({ acquirer_reference_data: '99999999999999999', merchant_id: 'M-first' });
      const kept = await card.recordClearing({ authorization_id: held.id });
      assertEqual(await reduce('clearings', first.id), [first.id], 'without a hold');
      const { clearings } = await card.read();
      assertEqual(idsOf(clearings), [kept.id], 'the page');
      const newest = await storage.unitOfWork.read((tx) => tx.cards.newestClearings([card.id], 10));
      assertEqual(idsOf(newest.get(card.id)!), [kept.id], 'the newest');
      const reduced = { ...first, details: {}, request_id: null, reduced_at_ms: storage.now_ms };
      const by = async (fields: Parameters<typeof card.clearing>[0]) =>
        (await card.look(card.clearing({ ...nothing_in_common, settlement_date: '2026-05-21', ...fields }))).clearings;
      const { network_financial_transaction_id } = first;
      assertEqual(await by({ network_financial_transaction_id }), [reduced], 'by its transaction');
      assertEqual(await by({ acquirer_reference_data: '99999999999999999' }), [reduced], 'by its reference');
      assertEqual(await by({ merchant_id: 'M-first', clearing_type: 'CREDIT' }), [reduced], 'by its merchant');
    },
  ),
];
