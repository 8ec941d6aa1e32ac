/**
 * A few steps with functions that orval generated for fetch, one for each operation id.
 *
 *     node orval.ts <url of a sandbox>
 */
import assert from 'node:assert/strict';
import { eventsList, virtualCardsCancel, virtualCardsCreate, virtualCardsList } from '../generated/orval.ts';

// The generated functions read it at each call.
process.env.TALLYSTICK_URL = process.argv[2];

const headers = { Authorization: 'Bearer tly_test_client_sandbox', 'Content-Type': 'application/json' };

const issued = await virtualCardsCreate({ data: { total_card_amount: 50_00 } }, { headers });
assert.ok(issued.status === 200, JSON.stringify(issued.data));
const card = issued.data.data;

const list = await virtualCardsList({ filter: { last4: card.last4, status: 'Approved' } }, { headers });
assert.ok(list.status === 200, JSON.stringify(list.data));
const last4: string[] = [];
for (const card of list.data.data) last4.push(card.last4);
assert.ok(last4.includes(card.last4));

const events = await eventsList({ filter: { 'payload.id': card.id, event_type: 'virtualcard.created' } }, { headers });
assert.ok(events.status === 200, JSON.stringify(events.data));
const amounts: number[] = [];
for (const event of events.data.data) {
  if (event.event_type === 'virtualcard.created') amounts.push(event.payload.total_card_amount);
  // @ts-expect-error: only an authorization or a clearing has it
  if (event.event_type === 'virtualcard.created') event.payload.billing_amount;
  if (event.event_type === 'virtualcard.clearings') amounts.push(event.payload.billing_amount);
}
assert.deepEqual(amounts, [50_00]);

const canceled = await virtualCardsCancel(card.id, { headers });
assert.equal(canceled.status, 204);
console.log('a card was created, listed, found in the events and canceled: as expected');
