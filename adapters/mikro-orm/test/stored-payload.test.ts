import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNetwork } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { database_names, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { payloadOf, storedPayload } from '../src/schema/records/stored-payload.ts';
import {
  authorizationMessage,
  clearingMessage,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

const random = { below: () => 1, bytes: (count: number) => new Uint8Array(count) };

describe('the payload of an event', () => {
  it('is read as it was written, with its fields in their order', () => {
    const [authorization, clearing] = [0, 1].map((place) => Object.keys(payloadOf(`[${place}]`)));
    const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '0'));
    const names = fc.oneof(
      fc.constantFrom(authorization!, clearing!, authorization!.slice(0, -1), clearing!.toReversed()),
      fc.array(fc.string()),
    );
    const parts = fc.tuple(names, fc.uniqueArray(name, { maxLength: 3 }), fc.infiniteStream(fc.jsonValue()));
    const property = fc.property(parts, ([first, further, values]) => {
      const payload = Object.fromEntries([...first, ...further].map((name) => [name, values.next().value]));
      const text = JSON.stringify(payload);
      assert.equal(JSON.stringify(payloadOf(JSON.stringify(storedPayload(payload)))), text);
    });
    fc.assert(property, propertyParameters({ short: 300, full: 2_000 }));
  });

  for (const name of database_names) {
    it(`has no names of fields in the rows of authorizations and clearings on ${name}`, async () => {
      const database = await seededDatabase(name, 1);
      const { ledger, connection, close } = await openLedger(database.database_url);
      try {
        const network = createNetwork({ ledger, random, vault: { cvcMatches: () => true }, ...plain_quarantine });
        const details = { merchant_country: 'DEU', card_present: true };
        await network.authorize(authorizationMessage(1, { billing_amount: money(31), details }));
        await network.clear(clearingMessage(1, { billing_amount: money(31) }));
        const rows = await run(connection, 'select event_type, payload from tallystick_events order by id');
        const places = { 'virtualcard.realtime.auths': 0, 'virtualcard.clearings': 1 };
        assert.deepEqual(
          rows.map(({ event_type, payload }) => [event_type, JSON.parse(String(payload))[0]]),
          Object.entries(places),
        );
        await network.drain();
      } finally {
        await close();
        await database.dispose();
      }
    });
  }
});
