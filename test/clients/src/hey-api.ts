/**
 * A few steps with functions that @hey-api/openapi-ts generated, one for each operation id.
 *
 *     node hey-api.ts <url of a sandbox>
 */
import assert from 'node:assert/strict';
import { createClient } from '../generated/hey-api/client/index.ts';
import {
  eventsList,
  networkAuthorizationsDecide,
  sandboxClockMove,
  virtualCardsCancel,
  virtualCardsCreate,
  virtualCardsList,
  virtualCardsRead,
} from '../generated/hey-api/index.ts';

const [url = ''] = process.argv.slice(2);

const clientOf = (role: string) => createClient({ baseUrl: url, auth: `tly_test_${role}_sandbox` });
const client = clientOf('client');

const clock = await sandboxClockMove({ client: clientOf('operator'), body: { data: { advance: 'PT0S' } } });
const now = clock.data?.data.now;
assert.ok(now, JSON.stringify(clock.error));

const issued = await virtualCardsCreate({
  client,
  body: { data: { total_card_amount: 50_00 }, show_card_number: true },
  headers: { 'Idempotency-Key': `card-${now}` },
});
const card = issued.data?.data;
assert.ok(card, JSON.stringify(issued.error));

const decided = await networkAuthorizationsDecide({
  client: clientOf('network'),
  body: {
    data: {
      card_number: card.card_number,
      message_type_indicator: 'Authorization Request',
      billing_amount: 75_00,
      billing_currency: 'USD',
      merchant_amount: 75_00,
      merchant_currency: 'USD',
      mcc: '5411',
      trace_id: 'HEY1',
      system_trace_audit_number: '000001',
      transaction_date_time: now,
    },
  },
});
assert.equal(decided.data?.data.decline_reason, 'E');

const events = await eventsList({
  client,
  query: {
    filter: { 'payload.vcn_id': Number(card.id), event_type: 'virtualcard.realtime.auths' },
    page: { limit: 1 },
  },
});
assert.equal(events.data?.data.length, 1, JSON.stringify(events.error));
for (const event of events.data.data) {
  if (event.event_type === 'virtualcard.realtime.auths') assert.equal(event.payload.billing_amount, 75_00);
  // @ts-expect-error: only an authorization or a clearing has it
  if (event.event_type === 'virtualcard.created') event.payload.billing_amount;
}

const list = await virtualCardsList({ client, query: { filter: { last4: card.last4, status: 'Approved' } } });
const last4: string[] = [];
for (const card of list.data?.data ?? []) last4.push(card.last4);
assert.ok(last4.includes(card.last4), JSON.stringify(list.error));

await virtualCardsCancel({ client, path: { id: card.id } });
const read = await virtualCardsRead({ client, path: { id: card.id } });
assert.equal(read.data?.data.status, 'Canceled');

const missing = await virtualCardsRead({ client, path: { id: '999999999' } });
assert.equal(missing.error?.code, 'not_found');
console.log('a card was created, declined, found in the events and canceled: as expected');
