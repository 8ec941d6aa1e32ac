import { it } from 'node:test';
import type { HostTransaction } from '@tallystick/kernel';
import type { Tallystick } from '../../src/index.ts';
import type { AuthorizationMessage, ListPage, OperationGroups, VirtualCard } from '../../src/operations/index.ts';

/** Calls that the compiler refuses, and some that it accepts. They are never made. */
export async function misuse(tally: OperationGroups, tx: HostTransaction, message: AuthorizationMessage) {
  const { cards, reconciliation, webhooks } = tally.company(1);
  // @ts-expect-error: a decision shares its pass, so it cannot join a transaction
  await tally.network.authorize(message, { tx });
  // @ts-expect-error: the same
  await cards.releaseHold(1, 2, { note: 'why' }, { tx });
  // @ts-expect-error: the same
  await cards.freeze(1, {}, { tx });
  // @ts-expect-error: no transaction is open while a request is sent
  await webhooks.test(1, { tx });
  // @ts-expect-error: it takes in first what has arrived
  await reconciliation.items.list({ tx });
  // @ts-expect-error: a card has an amount
  await cards.issue({});
  // @ts-expect-error: no such field
  await cards.issue({ total_card_amount: 5_000, total_amount: 1 });
  // @ts-expect-error: amounts are numbers
  await cards.issue({ total_card_amount: '50.00' });
  // @ts-expect-error: no such option
  await cards.issue({ total_card_amount: 5_000 }, { show_number: true });
  // @ts-expect-error: no such status
  await cards.list({ filter: { status: 'Active' } });
  // @ts-expect-error: a number of an account is text
  await tally.bank.accounts.read(1_000_000_001);
  // @ts-expect-error: only calls for a company have cards
  tally.cards;

  const page: ListPage<VirtualCard> = await cards.list({ tx, limit: 10, filter: { 'metadata.trip': 'Oslo' } });
  for await (const { status } of cards.list()) if (status === 'Canceled') break;
  await cards.update('1', { ...page.items[0], total_card_amount: 2 }, { tx, actor: 'user:42' });
  const { decline_reason } = await tally.network.authorize(message);
  const known: 'K' | 'U' | null = decline_reason === 'K' || decline_reason === 'U' ? decline_reason : null;
  return known;
}

/** The payload of an event follows from its type. */
export async function subscriptions(tally: Tallystick) {
  await tally.subscribe('ledger', ['virtualcard.clearings'], async (events, tx) => {
    for (const { payload, previous } of events) {
      const amount: number = payload.billing_amount - (previous?.billing_amount ?? 0);
      await tx.query('insert into ledger (amount) values ($1)', [amount]);
    }
  });
  await tally.subscribe('both', ['virtualcard.created', 'virtualcard.clearings'], async ([event]) => {
    // @ts-expect-error: a card has no merchant
    event?.payload.merchant_name;
    if (event?.event_type === 'virtualcard.clearings') event.payload.merchant_name;
  });
  // @ts-expect-error: no such type
  await tally.subscribe('wrong', ['virtualcard.cleared'], async () => undefined);
  return tally.on(['all'], (event) => {
    if (event.event_type === 'virtualcard.realtime.auths') event.payload.decline_reason;
  });
}

it('the compiler refuses what a method does not take', (t) => {
  t.assert.deepEqual([typeof misuse, typeof subscriptions], ['function', 'function']);
});
