import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names, migratedDatabase, readRows, send, startServer } from '@tallystick/test-support';
import { issue } from '../end-to-end/purchases.ts';

/** Where a name arrives, with a change that makes it different from the one before. */
const fields = (id: string, write: (number: string) => string) => (number: string, at: number) => {
  const email = `a.${write(number)}.${at}@example.com`;
  const callback_url = `https://hooks.example.com/${encodeURIComponent(write(number))}/${at}`;
  const company = { name: `C ${at}`, customer_number: `CN ${write(number)} ${at}` };
  const card = { total_card_amount: 10 };
  return [
    ['operator', 'POST', '/operator/v1/companies', company, 'data.customer_number'],
    ['client', 'POST', '/v1/webhooks', { callback_url, event_type_ids: [] }, 'data.callback_url'],
    ['client', 'POST', '/v1/virtualcards', { ...card, emails: ['a@example.com', email] }, 'data.emails[1]'],
    ['client', 'POST', '/v1/virtualcards', { ...card, supplier_id: Number(number) }, 'data.supplier_id'],
    ['client', 'PATCH', `/v1/virtualcards/${id}`, { emails: [email] }, 'data.emails[0]'],
    ['client', 'POST', `/v1/virtualcards/${id}/email`, { email }, 'data.email'],
  ] as const;
};

const notations: readonly ((number: string) => string)[] = [
  (number) => number,
  (number) => number.match(/\d{4}/g)!.join('-'),
  (number) => number.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
];

const tables = ['companies', 'webhooks', 'virtual_cards', 'events', 'mails', 'audit_entries'];

describe('the number of a card in a value that names or matches', () => {
  for (const name of database_names) {
    it(`is 400 naming the field, and nothing is stored: ${name}`, async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer({ database_url: database.database_url });
      t.after(() => server.stop());
      const { id, card_number } = await issue(server.url, { total_card_amount: 10 });
      const counts = () =>
        Promise.all(
          tables.map(async (table) => (await readRows(database, `select * from tallystick_${table}`)).length),
        );
      const before = await counts();
      for (const write of notations) {
        for (const [key, method, path, data, field] of fields(id, write)(card_number, 1)) {
          const reply = await send(server.url, method, path, { key, body: { data } });
          const paths = reply.json.fields?.map((problem: { path: string }) => problem.path);
          assert.deepEqual([reply.status, paths], [400, [field]], `${path}: ${reply.text}`);
          assert.ok(!reply.text.includes(write(card_number)), reply.text);
        }
      }
      assert.deepEqual(await counts(), before);
    });

    it(`passes unchanged when no card has it: ${name}`, async (t) => {
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const server = await startServer({ database_url: database.database_url });
      t.after(() => server.stop());
      const { id } = await issue(server.url, { total_card_amount: 10 });
      for (const [at, write] of notations.entries()) {
        for (const [key, method, path, data] of fields(id, write)('4111111111111111', at)) {
          const reply = await send(server.url, method, path, { key, body: { data } });
          assert.equal(reply.status, 200, `${path}: ${reply.text}`);
          for (const [field, value] of Object.entries(data)) {
            if (field in reply.json.data) assert.deepEqual(reply.json.data[field], value, field);
          }
        }
      }
    });
  }
});
