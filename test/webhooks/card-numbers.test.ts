import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names, readRows, scratchDatabase, startServer, tlsReceiver } from '@tallystick/test-support';
import { Company, moveClock } from './company.ts';

describe('a card number in an event of another system', () => {
  for (const name of database_names) {
    it(`is unmasked in no event, no delivery and nowhere in the event log: ${name}`, async (t) => {
      const database = await scratchDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer({ database_url: database.database_url });
      t.after(() => server.stop());
      const receiver = await tlsReceiver();
      t.after(() => receiver.close());
      const company = await Company.found(server.url, 'masked');
      await company.registers(`${receiver.origin}/hooks`);

      const state = {
        id: 1,
        card_number: '4111111111111111',
        notes: [{ text: 'for 4111-1111-1111-1111', number: 4111111111111111 }],
      };
      const masked = '************1111';
      const shown = { id: 1, card_number: masked, notes: [{ text: `for ${masked}`, number: masked }] };
      const id = await company.hears(state, 'ach.status', state);
      await moveClock(server.url);

      const event = await company.ask('GET', `/v1/events/${id}`);
      assert.deepEqual([event.payload, event.previous], [shown, shown]);
      const found = await company.ask('GET', `/v1/events?filter[payload.card_number]=${masked}`);
      assert.deepEqual(found, [event]);
      const [delivered] = receiver.received.map(({ body }) => JSON.parse(body).data);
      assert.deepEqual([delivered.payload, delivered.previous], [shown, shown]);
      const rows = await readRows(database, 'select * from events');
      assert.equal(rows.length, 1);
      assert.doesNotMatch(JSON.stringify(rows), /4111-?1111/);
      assert.doesNotMatch(server.output(), /4111-?1111/);
    });
  }
});
